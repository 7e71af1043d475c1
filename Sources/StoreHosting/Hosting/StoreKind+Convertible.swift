extension StoreKind {
    /// A value that defines a store kind, so that a list of kinds can contain it.
    public protocol Convertible: Sendable {
        /// The kind.
        var kind: StoreKind { get }
    }
}

extension StoreKind: StoreKind.Convertible {
    public var kind: StoreKind { self }
}
