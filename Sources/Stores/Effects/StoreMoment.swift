/// The moment at which an effect asks for an action: see ``Effect/dispatch(at:)``.
@usableFromInline
package struct StoreMoment: Sendable {
    /// Names the store in its host; nil for a store without a host.
    package let identity: String?
    /// Milliseconds since 1970.
    package let now: Int
    /// The revision that asks.
    package let revision: Int
    /// Whether the state was copied from another store, which continues with it.
    package let isCopy: Bool
    /// Whether the store is that of a test, which knows before what it does.
    package let isReproducible: Bool

    @usableFromInline
    init(identity: String?, now: Int, revision: Int, isCopy: Bool, isReproducible: Bool) {
        self.identity = identity
        self.now = now
        self.revision = revision
        self.isCopy = isCopy
        self.isReproducible = isReproducible
    }
}
