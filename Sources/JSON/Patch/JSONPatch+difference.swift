extension JSONPatch {
    /// The difference between two documents: applied to `old`, the patch gives `new`.
    ///
    /// Objects are compared member by member, and arrays element by element: what was removed, inserted and moved is
    /// found, and elements that have the same `id` are compared with each other. A value that has another place in the
    /// same object or array is moved. An object or array is replaced as a whole if that takes fewer bytes than the
    /// changes inside it, so a patch is never larger than one that replaces the document. Equal documents have an empty
    /// patch.
    ///
    /// Takes time linear in the documents for each level of nesting, with a factor that is bounded: see
    /// `ArrayAlignment`.
    package init(from old: JSONValue, to new: JSONValue) {
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
        var removed: [(name: String, value: JSONValue)] = []
        var next = 0
        for (name, value) in old {
            guard let slot = new.slot(of: name, firstTrying: next), let other = new.value(inSlot: slot) else {
                removed.append((name, value))
                continue
            }
            next = slot + 1
            common += 1
            steps.append(.name(name))
            compare(value, other)
            steps.removeLast()
        }
        guard common < new.count else {
            for (name, _) in removed { append(.name(name)) { .remove($0) } }
            return
        }
        var added: [(name: String, value: JSONValue)] = []
        next = 0
        for member in new {
            let slot = old.slot(of: member.name, firstTrying: next)
            next = slot.map { $0 + 1 } ?? next
            if slot == nil { added.append(member) }
        }
        exchangeMembers(removed, added)
    }

    /// Removes members and adds others. A value that has another name is moved.
    private mutating func exchangeMembers(
        _ removed: [(name: String, value: JSONValue)], _ added: [(name: String, value: JSONValue)]
    ) {
        // From each value to the indices of its removed members, the first one last.
        var sources: [JSONValue: [Int]] = [:]
        if !added.isEmpty {
            for index in removed.indices.reversed() { sources[removed[index].value, default: []].append(index) }
        }
        let origins = added.map { removed.isEmpty ? nil : sources[$0.value]?.popLast() }
        let moved = Set(origins.compactMap(\.self))
        for (index, member) in removed.enumerated() where !moved.contains(index) {
            append(.name(member.name)) { .remove($0) }
        }
        for (member, origin) in zip(added, origins) {
            if let origin {
                appendMove(.name(removed[origin].name), to: .name(member.name))
            } else {
                append(.name(member.name)) { .add($0, member.value) }
            }
        }
    }

    private mutating func compareElements(_ old: [JSONValue], _ new: [JSONValue]) {
        let alignment = ArrayAlignment(from: old, to: new)
        for (index, other) in alignment.compared {
            steps.append(.index(index))
            compare(old[index], new[other])
            steps.removeLast()
        }
        for step in ListStep.steps(removing: alignment.removed, inserting: alignment.inserted) {
            switch step {
            case .remove(let index): append(.index(index)) { .remove($0) }
            case .insert(let index, let element): append(.index(index)) { .add($0, new[element]) }
            case .move(let from, let to): appendMove(.index(from), to: .index(to))
            }
        }
    }

    private mutating func appendMove(_ from: Step, to step: Step) {
        let from = path.appending(from.token)
        append(step) { .move(from: from, to: $0) }
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
        if let from = operation.from {
            size.add(bytes: #","from":"#.utf8.count)
            size.add(from.description)
        }
        if let value = operation.value {
            size.add(bytes: #","value":"#.utf8.count)
            size.add(value)
        }
        return size.bytes
    }
}
