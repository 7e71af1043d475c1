/// The sender of an action, and the time at which a store takes it.
@usableFromInline
package struct ActionContext: Sendable {
    /// The sender.
    package let actor: Actor
    /// Whether the state decides if the sender may send it.
    @usableFromInline package let isOfVisitor: Bool
    /// The time in milliseconds since 1970, the same for all actions of a batch.
    package let now: Int

    @usableFromInline
    package init(actor: Actor, now: Int, isOfVisitor: Bool = false) {
        self.actor = actor
        self.isOfVisitor = isOfVisitor
        self.now = now
    }
}

extension Actor {
    /// The sender of an action of this origin.
    ///
    /// - Parameter named: whom the host names; nil for nobody.
    @usableFromInline
    init(of origin: Origin, named: Actor?) { self = origin == .client ? named ?? .anonymous : .system }
}
