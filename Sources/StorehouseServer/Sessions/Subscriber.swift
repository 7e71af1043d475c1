import Sockets

/// How the events of a stream come to its client.
enum StreamDelivery: Sendable {
    /// All of them on this connection.
    case alone
    /// By another node, which gets the events of commits once for all of its clients, on a connection with this number.
    case joined(UInt64)
    /// It is such a connection. It is no client's, so nothing counts or ends it but its clients.
    case shared(UInt64)

    var isShared: Bool { if case .shared = self { true } else { false } }
}

/// A stream of a session's events, as the session knows it. On its loop only.
class Subscriber {
    /// The streams of a topic share one. The hub sets it.
    final var subscription: StreamSubscription
    final let loop: any EventLoop
    /// The stream's index in its group.
    final var groupIndex = 0
    /// Whether the events of effects are sent.
    final let showsEffects: Bool
    /// The node through which its client came, by its number; 0 for none.
    final let forwarder: UInt16

    init(
        _ subscription: StreamSubscription, on loop: any EventLoop, showsEffects: Bool, from forwarder: UInt16
    ) {
        self.subscription = subscription
        self.loop = loop
        self.showsEffects = showsEffects
        self.forwarder = forwarder
    }

    var delivery: StreamDelivery { .alone }

    /// Whether its client came by a permit that may not be used any more.
    var hasInvalidPermit: Bool { false }

    /// Sends all events to this stream, because there is no stream to join.
    func sendAlone() {}

    func send(_ frame: EventFrame) { preconditionFailure("a subscriber takes events") }

    func send(_ frame: EffectFrame) { preconditionFailure("a subscriber takes events of effects") }

    /// Sends `closed` if there is a reason, and ends.
    func end(_ reason: String?) { preconditionFailure("a subscriber ends") }
}

extension Subscriber {
    var joinedID: UInt64? { if case .joined(let id) = delivery { id } else { nil } }

    var sharedID: UInt64? { if case .shared(let id) = delivery { id } else { nil } }

    var isShared: Bool { delivery.isShared }
}

/// How many streams a session may have, and how much of one is kept.
struct StreamLimits: Sendable {
    let maxPerSession: Int
    let maxViews: Int
    /// How long the patches are that a reconnecting client may get. Otherwise it gets the state, whose bytes are shared.
    let maxMissedBytes: Int
}
