import Stores

/// A kind as this server hosts it: what all of its sessions share.
final class HostedKind: Sendable {
    let kind: StoreKind
    let environment: StoreEnvironment

    init(_ kind: StoreKind, _ environment: StoreEnvironment) {
        self.kind = kind
        self.environment = environment
    }

    /// A kind whose stores go by the server's clock.
    convenience init(_ kind: StoreKind, clock: Clock) { self.init(kind, StoreEnvironment(clock: clock)) }
}
