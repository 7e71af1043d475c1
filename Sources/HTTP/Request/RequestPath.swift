/// The path of a request in segments, cut at its slashes before anything is decoded: an encoded slash is part of a
/// segment and never changes the routing.
///
/// `/a/b` has the segments `a` and `b`, `/a/` has `a` and an empty one, `/` has one empty one.
package struct RequestPath: Sendable, Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var index: Int
    private let end: Int

    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    /// The path as it was sent.
    package var raw: String { String(decoding: bytes[index..<end], as: UTF8.self) }

    package mutating func next() -> PathSegment? {
        guard index < end else { return nil }
        if bytes[index] == ASCII.slash { index += 1 }
        let start = index
        while index < end, bytes[index] != ASCII.slash { index += 1 }
        return PathSegment(bytes: bytes[start..<index])
    }
}

/// One segment of a path: compared and decoded only when asked.
package struct PathSegment: Sendable {
    private let bytes: ArraySlice<UInt8>

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// The segment without its percent-encoding.
    package var string: String { PercentEncoding.string(bytes, plusIsSpace: false) }
    package var isEmpty: Bool { bytes.isEmpty }

    /// Whether the decoded segment is this ASCII text. It makes no string unless something is encoded.
    package static func == (segment: PathSegment, text: StaticString) -> Bool {
        let other = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        if segment.bytes.elementsEqual(other) { return true }
        return segment.bytes.contains(ASCII.percent)
            && PercentEncoding.decode(segment.bytes, plusIsSpace: false).elementsEqual(other)
    }

    package static func ~= (text: StaticString, segment: PathSegment) -> Bool { segment == text }
}
