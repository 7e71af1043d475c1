extension JSONPatch {
    /// The changes that make one document of another: applied to `old` they give `new`.
    ///
    /// Objects are compared member by member, arrays element by element between what they begin and end with in common.
    /// Wherever replacing a whole object or array takes fewer bytes than the changes inside it, it is replaced; so a patch
    /// never takes more than replacing the whole document. Equal documents have an empty patch.
    ///
    /// Takes time linear in the documents for each level of nesting.
    public init(from old: JSONValue, to new: JSONValue) {
        var difference = Difference()
        difference.compare(old, new)
        self.init(difference.operations)
    }
}

/// Finds the changes, from the outside inwards.
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
    /// What the operations take, each with a comma.
    private var bytes = 0
    /// Where the values at hand stand.
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

    /// Takes the last operations back where replacing the value that they change takes fewer bytes.
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
            if let position = Self.position(of: name, in: new, guess: index) {
                common += 1
                compare(value, new[position].value)
            } else {
                append(.remove(path))
            }
            steps.removeLast()
        }
        guard common < new.count else { return }
        for (index, (name, value)) in new.enumerated() where Self.position(of: name, in: old, guess: index) == nil {
            append(.name(name)) { .add($0, value) }
        }
    }

    /// Documents that differ little have most members at the same place.
    private static func position(of name: String, in object: JSONObject, guess: Int) -> Int? {
        if guess < object.count, CodePointString(object[guess].name) == CodePointString(name) { return guess }
        return object.position(of: name)
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

    /// The bytes of an operation with its comma; where they are more than the limit, some number that is more too.
    private static func length(of operation: JSONPatch.Operation, limit: Int) -> Int {
        var extent = EncodedSize(limit: limit)
        extent.add(bytes: #"{"op":"","path":},"#.utf8.count + operation.name.utf8CodeUnitCount)
        extent.add(operation.path.description)
        if let value = operation.value {
            extent.add(bytes: #","value":"#.utf8.count)
            extent.add(value)
        }
        return extent.bytes
    }
}

/// How many bytes values take when they are written as `JSONWriter` does, and how deep they are nested.
///
/// Counting ends soon after a limit, so that it never costs more than what the limit is worth.
struct EncodedSize {
    let limit: Int
    private(set) var bytes = 0
    /// How many objects and arrays stand inside each other; right only where the limit is kept.
    private(set) var depth = 0

    init(limit: Int = .max) {
        self.limit = limit
    }

    var isOverLimit: Bool { bytes > limit }

    mutating func add(_ value: JSONValue) {
        add(value, depth: 1)
    }

    /// Counts a quoted string.
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

    /// Counts the brackets and commas of an object or array.
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
