extension Actor {
    /// Tells actors apart, whatever their names and roles are: two tokens of one subject may differ in these.
    package struct Key: Sendable, Hashable {
        private let kind: Kind
        private let id: ActorID

        fileprivate init(_ actor: Actor) { (kind, id) = (actor.kind, actor.id) }
    }

    package var key: Key { Key(self) }
}
