/// A value that defines a store kind, so that a list of kinds can contain it.
public protocol StoreKindConvertible: Sendable {
    /// The kind.
    var kind: StoreKind { get }
}

extension StoreKind: StoreKindConvertible {
    public var kind: StoreKind { self }
}
