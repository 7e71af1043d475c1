package import Locks

/// How the events of a stream come to its client.
public enum StreamDelivery: Sendable {
    /// All of them on this connection.
    case alone
    /// By another node, which gets the events of commits once for all of its clients, on a connection with this number.
    case joined(UInt64)
    /// It is such a connection. It is no client's, so nothing counts or ends it but its clients.
    case shared(UInt64)

    package var isShared: Bool { if case .shared = self { true } else { false } }
}

/// A stream of a session's events, as the session knows it. On its loop only.
open class Subscriber {
    /// The streams of a topic share one. The hub sets it.
    package final var subscription: StreamSubscription
    /// The loop of its connection.
    final let home: any SerialLoop
    /// The stream's index in its group.
    final var groupIndex = 0
    /// Whether the events of effects are sent.
    package final let showsEffects: Bool
    /// The node through which its client came, by its number; 0 for none.
    package final let forwarder: UInt16

    package init(
        _ subscription: StreamSubscription, on home: any SerialLoop, showsEffects: Bool, from forwarder: UInt16
    ) {
        self.subscription = subscription
        self.home = home
        self.showsEffects = showsEffects
        self.forwarder = forwarder
    }

    open var delivery: StreamDelivery { .alone }

    /// Whether its client came by a permit that may not be used any more.
    open var hasInvalidPermit: Bool { false }

    /// Sends all events to this stream, because there is no stream to join.
    open func sendAlone() {}

    open func send(_ frame: EventFrame) { preconditionFailure("a subscriber takes events") }

    open func sendEffect(_ event: EncodedEvent) { preconditionFailure("a subscriber takes events of effects") }

    /// Sends `closed` if there is a reason, and ends.
    open func end(_ reason: String?) { preconditionFailure("a subscriber ends") }
}

extension Subscriber {
    package var joinedID: UInt64? { if case .joined(let id) = delivery { id } else { nil } }

    var sharedID: UInt64? { if case .shared(let id) = delivery { id } else { nil } }

    package var isShared: Bool { delivery.isShared }
}

/// How many streams a session may have, and how much of one is kept.
package struct StreamLimits: Sendable {
    package let maxPerSession: Int
    package let maxViews: Int
    /// How long the patches are that a reconnecting client may get. Otherwise it gets the state, whose bytes are shared.
    package let maxMissedBytes: Int

    /// More bytes of missed patches than this are never sent: the state is shorter.
    private static let mostMissedBytes = 1 << 18

    package init(maxPerSession: Int, maxViews: Int, maxMissedBytes: Int) {
        self.maxPerSession = maxPerSession
        self.maxViews = maxViews
        self.maxMissedBytes = min(maxMissedBytes, Self.mostMissedBytes)
    }
}
