/// Changes to a JSON document, made one after the other: the operations `add`, `remove`, `replace` and `move` of RFC 6902.
///
/// Differences consist of these four only. `copy` and `test` are refused as unknown.
package struct JSONPatch: Sendable, Hashable {
    /// The changes, in the order in which they are made.
    package let operations: [Operation]

    /// A patch that makes these changes.
    package init(_ operations: [Operation]) {
        self.operations = operations
    }

    /// Whether the patch changes nothing.
    package var isEmpty: Bool { operations.isEmpty }
}

extension JSONPatch {
    /// One change (RFC 6902 section 4).
    package enum Operation: Sendable, Hashable {
        /// Sets a member, or inserts an element before the one at the index. The index `-` appends.
        case add(JSONPointer, JSONValue)
        /// Removes a value, which must exist.
        case remove(JSONPointer)
        /// Replaces a value, which must exist.
        case replace(JSONPointer, JSONValue)
        /// Removes a value, which must exist, and adds it elsewhere. The index of an element is counted without the
        /// removed value.
        case move(from: JSONPointer, to: JSONPointer)
    }
}

extension JSONPatch.Operation {
    /// The value of the member `op`.
    var name: StaticString {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .replace: "replace"
        case .move: "move"
        }
    }

    var path: JSONPointer {
        switch self {
        case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path): path
        }
    }

    /// The origin of a `move`; nil for all others.
    var from: JSONPointer? {
        if case .move(let from, _) = self { from } else { nil }
    }

    var value: JSONValue? {
        switch self {
        case .add(_, let value), .replace(_, let value): value
        case .remove, .move: nil
        }
    }
}

extension JSONPatch {
    /// Reads the JSON form: an array of operations. Unknown members of an operation are ignored, as RFC 6902 demands.
    package init(_ json: JSONValue) throws(JSONPatchError) {
        guard case .array(let elements) = json else { throw JSONPatchError(.notAnArray, operation: nil) }
        var operations: [Operation] = []
        operations.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(JSONPatchError.Kind) {
                operations.append(try Operation(element))
            } catch {
                throw JSONPatchError(error, operation: index)
            }
        }
        self.init(operations)
    }
}

extension JSONPatch.Operation {
    fileprivate init(_ json: JSONValue) throws(JSONPatchError.Kind) {
        switch json["op"] ?? .null {
        case "add": self = .add(try Self.pointer("path", json), try Self.value(json))
        case "remove": self = .remove(try Self.pointer("path", json))
        case "replace": self = .replace(try Self.pointer("path", json), try Self.value(json))
        case "move": self = .move(from: try Self.pointer("from", json), to: try Self.pointer("path", json))
        default: throw .unknownOperation
        }
    }

    private static func value(_ json: JSONValue) throws(JSONPatchError.Kind) -> JSONValue {
        guard let value = json["value"] else { throw .missingMember("value") }
        return value
    }

    private static func pointer(_ name: String, _ json: JSONValue) throws(JSONPatchError.Kind) -> JSONPointer {
        guard let text = json[name]?.asString else { throw .missingMember(name) }
        do {
            return try JSONPointer(text)
        } catch {
            throw .malformedPointer(error)
        }
    }
}

extension JSONPatch: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        operations.encode(into: &json)
    }
}

extension JSONPatch.Operation: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("op", name.description)
            json.member("from", ifPresent: from)
            json.member("path", path)
            json.member("value", ifPresent: value)
        }
    }
}

/// Why a patch cannot be read or applied, and which of its operations is at fault.
package struct JSONPatchError: Error, Sendable, Hashable {
    /// The kinds of errors of a patch.
    package enum Kind: Error, Sendable, Hashable {
        /// The JSON is not an array of operations.
        case notAnArray
        /// The element is not an object whose `op` is `add`, `remove`, `replace` or `move`.
        case unknownOperation
        /// The operation lacks this member, or the member has the wrong type.
        case missingMember(String)
        /// `path` or `from` is not a JSON Pointer.
        case malformedPointer(JSONPointerError)
        /// The path leads to no value, or to no object or array that can take one.
        case noTarget
        /// The operation would remove the whole document.
        case removesDocument
        /// The operation would move a value into itself.
        case movesIntoItself
        /// Objects and arrays would be nested deeper than `JSONValue.maxDepth`.
        case tooDeep
    }

    /// The kind of the error.
    package let kind: Kind
    /// The index of the operation, from 0; nil if the patch as a whole is at fault.
    package let operation: Int?

    package init(_ kind: Kind, operation: Int?) {
        self.kind = kind
        self.operation = operation
    }
}

extension JSONPatchError: CustomStringConvertible {
    /// A sentence for people, with the index of the operation.
    package var description: String {
        guard let operation else { return "\(kind.message)." }
        return "Operation \(operation) of the patch: \(kind.message)."
    }
}

extension JSONPatchError.Kind {
    fileprivate var message: String {
        switch self {
        case .notAnArray: "A JSON Patch must be an array"
        case .unknownOperation: "the operation must be an object with a known 'op'"
        case .missingMember(let name): "the member '\(name)' is missing or has the wrong type"
        case .malformedPointer: "'path' or 'from' is not a JSON Pointer"
        case .noTarget: "'path' or 'from' leads to no value"
        case .removesDocument: "it removes the whole document"
        case .movesIntoItself: "it moves a value into itself"
        case .tooDeep: "it nests objects and arrays too deep"
        }
    }
}
