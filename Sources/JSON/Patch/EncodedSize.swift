/// Measures how many bytes `JSONWriter` writes for a value, and how deep the value is nested.
///
/// Measuring stops soon after the limit, so that comparing with a small operation does not walk through a large value.
struct EncodedSize {
    let limit: Int
    private(set) var bytes = 0
    /// The nesting of objects and arrays; exact only below the limit.
    private(set) var depth = 0

    init(limit: Int = .max) {
        self.limit = limit
    }

    var isOverLimit: Bool { bytes > limit }

    mutating func add(_ value: JSONValue) {
        add(value, depth: 1)
    }

    /// Adds a quoted string.
    mutating func add(_ text: String) {
        bytes += 2 + text.utf8.count
        guard !isOverLimit else { return }
        for byte in text.utf8 where Byte.needsEscape(byte) {
            bytes += JSONWriter.escapedLength(of: byte) - 1
        }
    }

    mutating func add(bytes count: Int) {
        bytes += count
    }

    private mutating func add(_ value: JSONValue, depth: Int) {
        switch value {
        case .null, .bool(true): bytes += 4
        case .bool(false): bytes += 5
        case .integer(let integer): bytes += Self.length(of: integer)
        case .number(let number): bytes += number.text.utf8.count
        case .string(let text): add(text)
        case .array(let elements):
            enter(depth, count: elements.count)
            for element in elements where !isOverLimit {
                add(element, depth: depth + 1)
            }
        case .object(let object):
            enter(depth, count: object.count)
            for (name, value) in object where !isOverLimit {
                add(name)
                bytes += 1
                add(value, depth: depth + 1)
            }
        }
    }

    /// Adds the brackets and commas of an object or array.
    private mutating func enter(_ depth: Int, count: Int) {
        self.depth = max(self.depth, depth)
        bytes += 2 + max(count - 1, 0)
    }

    private static func length(of integer: Int) -> Int {
        var length = integer < 0 ? 2 : 1
        var rest = integer.magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        return length
    }
}
