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
