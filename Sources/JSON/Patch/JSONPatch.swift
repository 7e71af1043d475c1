/// Changes to a JSON document, to be made one after the other (RFC 6902).
///
/// Its JSON form is an array of operations; `JSONPatch(_:)` reads one.
public struct JSONPatch: Sendable, Hashable {
    /// The changes, in the order in which they are made.
    public let operations: [Operation]

    /// Takes the changes as they are.
    public init(_ operations: [Operation]) {
        self.operations = operations
    }

    /// Whether there is nothing to change.
    public var isEmpty: Bool { operations.isEmpty }
}

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

extension JSONPatch {
    /// Reads the JSON form: an array of operations. Members that RFC 6902 does not name are passed over, as it wants.
    public init(_ json: JSONValue) throws(JSONPatchError) {
        guard case .array(let elements) = json else { throw JSONPatchError(.notAList, operation: nil) }
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
        switch json["op"]?.asString {
        case "add": self = .add(try Self.path(json), try Self.value(json))
        case "remove": self = .remove(try Self.path(json))
        case "replace": self = .replace(try Self.path(json), try Self.value(json))
        case "move": self = .move(from: try Self.pointer("from", json), to: try Self.path(json))
        case "copy": self = .copy(from: try Self.pointer("from", json), to: try Self.path(json))
        case "test": self = .test(try Self.path(json), try Self.value(json))
        default: throw .unknownOperation
        }
    }

    private static func value(_ json: JSONValue) throws(JSONPatchError.Kind) -> JSONValue {
        guard let value = json["value"] else { throw .missingMember("value") }
        return value
    }

    private static func path(_ json: JSONValue) throws(JSONPatchError.Kind) -> JSONPointer {
        try pointer("path", json)
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
    public func encode(into json: inout JSONWriter) {
        operations.encode(into: &json)
    }
}

extension JSONPatch.Operation: JSONEncodable {
    public func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("op", name.description)
            json.member("from", ifPresent: from)
            json.member("path", path)
            json.member("value", ifPresent: value)
        }
    }
}

/// Why a patch cannot be read or applied, and by which of its operations.
public struct JSONPatchError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Kind: Error, Sendable, Hashable {
        /// The JSON is no array of operations.
        case notAList
        /// The element is no object, or has no operation's name in `op`.
        case unknownOperation
        /// The operation lacks this member, or it is not what it must be.
        case missingMember(String)
        /// `path` or `from` is no pointer.
        case malformedPointer(JSONPointerError)
        /// There is nothing where a value must be, or nothing that could take one.
        case noTarget
        /// A value would be moved into itself.
        case movesIntoItself
        /// The document itself would be taken away, and none be left.
        case removesDocument
        /// The value is not the one that `test` asks for.
        case testFailed
        /// Objects and arrays would be nested deeper than `JSONValue.deepestNesting`.
        case tooDeep
        /// All copies together would add more than `JSONPatch.mostCopiedBytes`.
        case tooLarge
    }

    /// What is wrong.
    public let kind: Kind
    /// Which operation it is, counted from 0; nil where it is none of them.
    public let operation: Int?

    package init(_ kind: Kind, operation: Int?) {
        self.kind = kind
        self.operation = operation
    }
}

extension JSONPatchError: CustomStringConvertible {
    /// A sentence for people, with the number of the operation.
    public var description: String {
        guard let operation else { return "\(kind.sentence)." }
        return "\(kind.sentence); it is operation \(operation) of the patch."
    }
}

extension JSONPatchError.Kind {
    fileprivate var sentence: String {
        switch self {
        case .notAList: "A JSON Patch is an array"
        case .unknownOperation: "An operation of a JSON Patch is an object with a known 'op'"
        case .missingMember(let name): "An operation of a JSON Patch lacks '\(name)'"
        case .malformedPointer: "An operation of a JSON Patch has a malformed pointer"
        case .noTarget: "A JSON Patch points at nothing"
        case .movesIntoItself: "A JSON Patch moves a value into itself"
        case .removesDocument: "A JSON Patch removes the whole document"
        case .testFailed: "A test of a JSON Patch fails"
        case .tooDeep: "A JSON Patch nests objects and arrays too deep"
        case .tooLarge: "A JSON Patch copies too much"
        }
    }
}
