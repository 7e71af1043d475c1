extension JSONPatch {
    /// One change (RFC 6902 section 4).
    public enum Operation: Sendable, Hashable {
        /// Sets a member, or inserts an element before the one at the index; `-` is the place behind the last.
        case add(JSONPointer, JSONValue)
        /// Takes away the value, which must be there.
        case remove(JSONPointer)
        /// Puts another value in the place of one that must be there.
        case replace(JSONPointer, JSONValue)
        /// Takes the value away and adds it elsewhere.
        case move(from: JSONPointer, to: JSONPointer)
        /// Adds the value elsewhere too.
        case copy(from: JSONPointer, to: JSONPointer)
        /// Changes nothing, and fails unless the value is there. Numbers are compared by what they are worth: `1.0`
        /// passes for `1`.
        case test(JSONPointer, JSONValue)
    }
}

extension JSONPatch.Operation {
    /// The word for it in JSON.
    var name: StaticString {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .replace: "replace"
        case .move: "move"
        case .copy: "copy"
        case .test: "test"
        }
    }

    /// The place that it works on.
    var path: JSONPointer {
        switch self {
        case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): path
        case .move(_, let path), .copy(_, let path): path
        }
    }

    /// The place that it takes a value from.
    var from: JSONPointer? {
        switch self {
        case .move(let from, _), .copy(let from, _): from
        case .add, .remove, .replace, .test: nil
        }
    }

    /// The value that it brings.
    var value: JSONValue? {
        switch self {
        case .add(_, let value), .replace(_, let value), .test(_, let value): value
        case .remove, .move, .copy: nil
        }
    }
}
