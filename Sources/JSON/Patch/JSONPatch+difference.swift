extension JSONPatch {
    /// The difference between two documents: applied to `old`, the patch gives `new`.
    ///
    /// Objects are compared member by member. Arrays are compared element by element between their common prefix and
    /// suffix. An object or array is replaced as a whole if that takes fewer bytes than the changes inside it, so a
    /// patch is never larger than one that replaces the document. Equal documents have an empty patch.
    ///
    /// Takes time linear in the documents for each level of nesting.
    public init(from old: JSONValue, to new: JSONValue) {
        var difference = Difference()
        difference.compare(old, new)
        self.init(difference.operations)
    }
}

/// Compares two documents from the outside inwards.
private struct Difference {
    private enum Step {
        case name(String)
        case index(Int)

        var token: String {
            switch self {
            case .name(let name): name
            case .index(let index): String(index)
            }
        }
    }

    private(set) var operations: [JSONPatch.Operation] = []
    /// The encoded size of the operations, each with a comma.
    private var bytes = 0
    /// The path to the values that are being compared.
    private var steps: [Step] = []

    mutating func compare(_ old: JSONValue, _ new: JSONValue) {
        let (count, before) = (operations.count, bytes)
        switch (old, new) {
        case (.object(let old), .object(let new)): compareMembers(old, new)
        case (.array(let old), .array(let new)): compareElements(old, new)
        default:
            if old != new { append(.replace(path, new)) }
            return
        }
        if operations.count > count { replaceIfShorter(new, operationsFrom: count, bytesBefore: before) }
    }

    /// Drops the last operations if replacing the value that they change takes fewer bytes.
    private mutating func replaceIfShorter(_ new: JSONValue, operationsFrom count: Int, bytesBefore before: Int) {
        let whole = JSONPatch.Operation.replace(path, new)
        let length = Self.length(of: whole, limit: bytes - before)
        guard length < bytes - before else { return }
        operations.removeSubrange(count...)
        operations.append(whole)
        bytes = before + length
    }

    private mutating func compareMembers(_ old: JSONObject, _ new: JSONObject) {
        var common = 0
        for (index, (name, value)) in old.enumerated() {
            steps.append(.name(name))
            if let other = new.value(named: name, firstTryingSlot: index) {
                common += 1
                compare(value, other)
            } else {
                append(.remove(path))
            }
            steps.removeLast()
        }
        guard common < new.count else { return }
        for (index, (name, value)) in new.enumerated() where !old.hasMember(name, firstTryingSlot: index) {
            append(.name(name)) { .add($0, value) }
        }
    }

    private mutating func compareElements(_ old: [JSONValue], _ new: [JSONValue]) {
        let shorter = min(old.count, new.count)
        var (first, last) = (0, 0)
        if old.count != new.count {
            while first < shorter, old[first] == new[first] { first += 1 }
            while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] { last += 1 }
        }
        let end = shorter - last
        for index in first..<end {
            steps.append(.index(index))
            compare(old[index], new[index])
            steps.removeLast()
        }
        for index in (end..<max(end, old.count - last)).reversed() {
            append(.index(index)) { .remove($0) }
        }
        for index in end..<max(end, new.count - last) {
            append(.index(index)) { .add($0, new[index]) }
        }
    }

    private var path: JSONPointer { JSONPointer(tokens: steps.map(\.token)) }

    private mutating func append(_ step: Step, _ operation: (JSONPointer) -> JSONPatch.Operation) {
        steps.append(step)
        append(operation(path))
        steps.removeLast()
    }

    private mutating func append(_ operation: JSONPatch.Operation) {
        operations.append(operation)
        bytes += Self.length(of: operation, limit: .max)
    }

    /// The encoded size of an operation with its comma. Above the limit, the result is only known to exceed the limit.
    private static func length(of operation: JSONPatch.Operation, limit: Int) -> Int {
        var size = EncodedSize(limit: limit)
        size.add(bytes: #"{"op":"","path":},"#.utf8.count + operation.name.utf8CodeUnitCount)
        size.add(operation.path.description)
        if let value = operation.value {
            size.add(bytes: #","value":"#.utf8.count)
            size.add(value)
        }
        return size.bytes
    }
}

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
