import Stores

/// A kind as this server hosts it: what all of its sessions share.
final class HostedKind: Sendable {
    let kind: StoreKind
    let environment: StoreEnvironment

    init(_ kind: StoreKind, _ environment: StoreEnvironment) {
        self.kind = kind
        self.environment = environment
    }

    /// A kind whose stores go by the server's clock, and whose faults are told in its log.
    convenience init(_ kind: StoreKind, clock: Clock, log: Log) {
        let name = kind.name
        self.init(kind, StoreEnvironment(clock: clock) { fault in log.error(fault, of: name) })
    }
}

extension Log {
    /// A line for a fault of the program that a store of that kind has contained.
    fileprivate func error(_ fault: StoreFault, of kind: String) {
        let detail = LogField("detail", fault.description)
        switch fault {
        case .cascadeStopped(let limit, let dropped):
            error("cascade stopped", [.init("store", kind), .init("limit", limit), .init("dropped", dropped), detail])
        case .invariantBroken(let name):
            error("invariant broken", [.init("store", kind), .init("invariant", name), detail])
        }
    }
}
