import Stores

/// The guest whom a share of another node's session names.
final class LoggedGuest: Sendable {
    let actor: Actor

    init(_ actor: Actor) { self.actor = actor }
}
