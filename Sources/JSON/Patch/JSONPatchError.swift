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
