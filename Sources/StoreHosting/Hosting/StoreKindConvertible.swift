/// A definition from which a server takes a store kind.
public protocol StoreKindConvertible: Sendable {
    /// The kind.
    var kind: StoreKind { get }
}

extension StoreKind: StoreKindConvertible {
    public var kind: StoreKind { self }
}
