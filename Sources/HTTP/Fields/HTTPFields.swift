/// The field lines of a message in their order: ranges into the bytes they came in, and no string until one is asked
/// for. Names are compared without case (RFC 9110, section 5.1).
package struct HTTPFields: Sendable {
    /// The whole head; the lines are ranges in it.
    let bytes: [UInt8]
    let lines: [FieldLine]

    /// How many field lines there are.
    package var count: Int { lines.count }

    /// The value of the first line of this name, else nil.
    ///
    /// - Parameter name: ASCII in lower case, as in `"content-type"`.
    package func first(_ name: StaticString) -> String? {
        for line in lines where hasName(name, line) { return string(line.value) }
        return nil
    }

    /// The values of all lines of this name, in order.
    package func values(_ name: StaticString) -> [String] {
        var values: [String] = []
        for line in lines where hasName(name, line) { values.append(string(line.value)) }
        return values
    }

    /// Whether there is a line of this name.
    package func contains(_ name: StaticString) -> Bool {
        lines.contains { hasName(name, $0) }
    }

    /// Whether the first line of this name has exactly this value but for case. It makes no string.
    ///
    /// - Parameter value: ASCII in lower case.
    package func first(_ name: StaticString, is value: StaticString) -> Bool {
        for line in lines where hasName(name, line) {
            return bytes.withUnsafeBytes { $0.hasText(value, in: line.value) }
        }
        return false
    }

    private func hasName(_ name: StaticString, _ line: FieldLine) -> Bool {
        bytes.withUnsafeBytes { $0.hasText(name, in: line.name) }
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension HTTPFields: Sequence {
    /// The lines as names and values, in order, as they were sent.
    package func makeIterator() -> AnyIterator<(name: String, value: String)> {
        var remaining = lines.makeIterator()
        return AnyIterator {
            remaining.next().map { (name: string($0.name), value: string($0.value)) }
        }
    }
}
