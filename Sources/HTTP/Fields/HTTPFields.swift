/// The field lines of a message in order, as ranges of the received bytes: strings are created on access only. Names
/// are case-insensitive (RFC 9110, section 5.1).
@usableFromInline
package struct HTTPFields: Sendable, Hashable {
    /// The bytes of the whole head.
    let bytes: [UInt8]
    let lines: [FieldLine]
    /// A bit for each name, which other names may share.
    @usableFromInline let names: UInt64

    init(bytes: [UInt8], lines: [FieldLine]) {
        self.bytes = bytes
        self.lines = lines
        names = bytes.withUnsafeBytes { bytes in
            lines.reduce(0) { $0 | Self.bit(UnsafeRawBufferPointer(rebasing: bytes[$1.name])) }
        }
    }

    @inlinable @inline(__always)
    static func bit(_ name: UnsafeRawBufferPointer) -> UInt64 {
        let (first, last) = (name.first ?? 0, name.last ?? 0)
        // The masks remove the bit by which capital letters differ from others.
        return 1 << UInt64((name.count &+ Int(first & 0x1f) &* 5 &+ Int(last & 0x1f) &* 11) & 63)
    }

    /// False if no line has this name, without looking at the lines. Inlined, because the bit of a constant is constant.
    @inlinable @inline(__always)
    func mayContain(_ name: StaticString) -> Bool {
        names & Self.bit(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)) != 0
    }

    /// The memory of the head and its lines.
    package var heldBytes: Int { bytes.capacity + lines.capacity * MemoryLayout<FieldLine>.stride }

    /// The number of field lines.
    package var count: Int { lines.count }

    /// The value of the first line of this name; nil if there is none.
    ///
    /// - Parameter name: ASCII in lower case, such as `"content-type"`.
    package func first(_ name: StaticString) -> String? {
        guard mayContain(name) else { return nil }
        for line in lines where hasName(name, line) { return string(line.value) }
        return nil
    }

    /// The values of all lines of this name, in order.
    package func values(_ name: StaticString) -> [String] {
        guard mayContain(name) else { return [] }
        var values: [String] = []
        for line in lines where hasName(name, line) { values.append(string(line.value)) }
        return values
    }

    @inlinable @inline(__always)
    package func contains(_ name: StaticString) -> Bool { mayContain(name) && hasLine(name) }

    @usableFromInline
    func hasLine(_ name: StaticString) -> Bool { lines.contains { hasName(name, $0) } }

    /// Whether there are several lines of this name.
    package func hasSeveral(_ name: StaticString) -> Bool {
        var count = 0
        for line in lines where hasName(name, line) { count += 1 }
        return count > 1
    }

    /// Whether there is exactly one line of this name, and it has this value, ignoring case. Creates no string.
    ///
    /// - Parameter value: ASCII in lower case.
    package func hasOne(_ name: StaticString, is value: StaticString) -> Bool {
        var isFound = false
        for line in lines where hasName(name, line) {
            guard !isFound, bytes.withUnsafeBytes({ $0.hasText(value, in: line.value) }) else { return false }
            isFound = true
        }
        return isFound
    }

    /// Whether the first line of this name has this value, ignoring case. Creates no string.
    ///
    /// - Parameter value: ASCII in lower case.
    package func first(_ name: StaticString, is value: StaticString) -> Bool {
        for line in lines where hasName(name, line) {
            return bytes.withUnsafeBytes { $0.hasText(value, in: line.value) }
        }
        return false
    }

    /// The place of the first value of this name in ``bytes``.
    func range(_ name: StaticString) -> Range<Int>? { lines.first { hasName(name, $0) }?.value }

    private func hasName(_ name: StaticString, _ line: FieldLine) -> Bool {
        bytes.withUnsafeBytes { $0.hasText(name, in: line.name) }
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension HTTPFields: Sequence {
    /// Iterates over names and values in order, as they were sent.
    @usableFromInline
    package func makeIterator() -> AnyIterator<(name: String, value: String)> {
        var remaining = lines.makeIterator()
        return AnyIterator {
            remaining.next().map { (name: string($0.name), value: string($0.value)) }
        }
    }
}
