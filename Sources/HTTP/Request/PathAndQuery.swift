/// The segments of a request path. The path is split before it is decoded, so an encoded slash is part of a segment and
/// never changes the routing.
///
/// `/a/b` has the segments `a` and `b`, `/a/` has `a` and an empty segment, and `/` has one empty segment.
package struct RequestPath: Sendable, Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var index: Int
    private let range: Range<Int>
    private var ends: SegmentEnds

    init(bytes: [UInt8], range: Range<Int>, _ ends: SegmentEnds) {
        self.bytes = bytes
        self.range = range
        self.ends = ends
        index = range.lowerBound
    }

    /// The path as it was sent.
    package var raw: String { String(decoding: bytes[index..<range.upperBound], as: UTF8.self) }

    package mutating func next() -> PathSegment? {
        guard index < range.upperBound else { return nil }
        if bytes[index] == ASCII.slash { index += 1 }
        let start = index
        var isEncoded = false
        if let end = ends.next() {
            index = range.lowerBound &+ end
        } else {
            (index, isEncoded) = bytes.withUnsafeBytes { Self.scanSegment($0, from: start, to: range.upperBound) }
        }
        return PathSegment(bytes: bytes, range: start..<index, isEncoded: isEncoded)
    }

    private static func scanSegment(
        _ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int
    ) -> (end: Int, isEncoded: Bool) {
        var (index, isEncoded) = (start, false)
        while true {
            // The path is valid, so this is a slash or a percent sign.
            index = bytes.end(of: .segment, from: index, to: end)
            guard index < end, bytes[index] == ASCII.percent else { return (index, isEncoded) }
            isEncoded = true
            index &+= 1
        }
    }
}

/// Where the first segments of a path end, as far as that was found when the path was validated.
struct SegmentEnds: Sendable {
    /// Up to four distances from the start of the path, in 16 bits each, the first one in the lowest; 0 for none.
    private var distances: UInt64 = 0
    private var usedBits = 0

    /// - Parameter distance: that of the end of the next segment. Nothing ends at the start of a path, which is a slash.
    mutating func append(_ distance: Int) {
        guard distance > 0, usedBits < 64 else { return }
        guard distance < 1 << 16 else {
            usedBits = 64
            return
        }
        distances |= UInt64(distance) << usedBits
        usedBits &+= 16
    }

    /// Takes the first end; nil if it is not known.
    mutating func next() -> Int? {
        let distance = Int(distances & 0xFFFF)
        distances >>= 16
        return distance == 0 ? nil : distance
    }
}

/// One segment of a path, decoded on access only.
package struct PathSegment: Sendable {
    /// The bytes of the whole head.
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let isEncoded: Bool

    init(bytes: [UInt8], range: Range<Int>, isEncoded: Bool) {
        self.bytes = bytes
        self.range = range
        self.isEncoded = isEncoded
    }

    /// The decoded segment.
    package var string: String { PercentEncoding.string(bytes[range], plusIsSpace: false) }
    /// The decoded segment as bytes. Copies only if the segment is percent-encoded.
    package var decoded: ArraySlice<UInt8> {
        isEncoded ? PercentEncoding.decode(bytes[range], plusIsSpace: false)[...] : bytes[range]
    }
    package var isEmpty: Bool { range.isEmpty }

    /// Whether the decoded segment equals this ASCII text. Creates no string unless the segment is percent-encoded.
    package static func == (segment: PathSegment, text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        // Percent-encoding makes a segment longer.
        if segment.range.count > length {
            return segment.isEncoded
                && segment.decoded.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: length))
        }
        return segment.range.count == length && segment.equals(text)
    }

    package static func ~= (text: StaticString, segment: PathSegment) -> Bool { segment == text }

    /// - Parameter text: must have the length of the segment.
    private func equals(_ text: StaticString) -> Bool {
        bytes.withUnsafeBytes { $0.hasText(text, in: range, ignoringCase: false) }
    }
}

/// Percent-encoding (RFC 3986, section 2.1).
enum PercentEncoding {
    /// Decodes percent-encoded bytes. Malformed encodings, which the parser rejects before, stay as they are.
    ///
    /// - Parameter plusIsSpace: whether `+` stands for a space, as in the queries of forms.
    static func decode(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.underestimatedCount)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            if byte == ASCII.percent {
                var ahead = iterator
                if let high = ahead.next()?.hexadecimalValue, let low = ahead.next()?.hexadecimalValue {
                    decoded.append(high << 4 | low)
                    iterator = ahead
                    continue
                }
            }
            decoded.append(byte == ASCII.plus && plusIsSpace ? ASCII.space : byte)
        }
        return decoded
    }

    /// Decodes a text, without an intermediate array if nothing is encoded.
    static func string(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String {
        if bytes.contains(where: { $0 == ASCII.percent || ($0 == ASCII.plus && plusIsSpace) }) {
            return String(decoding: decode(bytes, plusIsSpace: plusIsSpace), as: UTF8.self)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The items of a query in the format of forms and `URLSearchParams`: `name=value` joined by `&`, with `+` for a space
/// and percent-encoding. Items are decoded on access only.
package struct QueryItems: Sendable, Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var index: Int
    private let end: Int

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    /// Whether the query is missing or empty.
    package var isEmpty: Bool { index == end }

    /// The value of the first item of this name, empty if it has no value; nil if there is no such item.
    package func first(_ name: String) -> String? {
        var items = self
        while let (itemName, value) = items.nextRanges() {
            if bytes[itemName].elementsEqual(name.utf8) || string(itemName).utf8.elementsEqual(name.utf8) {
                return string(value)
            }
        }
        return nil
    }

    package mutating func next() -> (name: String, value: String)? {
        nextRanges().map { (name: string($0.name), value: string($0.value)) }
    }

    /// The query as it was sent, with `value` in place of the items of this name, or behind the others.
    ///
    /// - Parameter value: must be encoded.
    package func replacing(_ name: String, with value: String) -> String {
        var (kept, rest): ([String], QueryItems) = ([], self)
        while let item = rest.nextRanges() {
            if string(item.name).utf8.elementsEqual(name.utf8) { continue }
            kept.append(String(decoding: bytes[item.name.lowerBound..<item.value.upperBound], as: UTF8.self))
        }
        return (kept + ["\(name)=\(value)"]).joined(separator: "&")
    }

    /// The name of the next item, without decoding its value.
    package mutating func nextName() -> String? { nextRanges().map { string($0.name) } }

    private mutating func nextRanges() -> (name: Range<Int>, value: Range<Int>)? {
        while index < end {
            let start = index
            var equals: Int?
            while index < end, bytes[index] != ASCII.ampersand {
                if equals == nil, bytes[index] == ASCII.equals { equals = index }
                index += 1
            }
            let stop = index
            if index < end { index += 1 }
            if start == stop { continue }
            return (start..<(equals ?? stop), equals.map { ($0 + 1)..<stop } ?? stop..<stop)
        }
        return nil
    }

    private func string(_ range: Range<Int>) -> String { PercentEncoding.string(bytes[range], plusIsSpace: true) }
}
