public import Stores

/// A stream of a session's events, as the session knows it. On its loop only.
open class Subscriber {
    /// The streams of a topic share one. The hub sets it.
    package final var subscription: StreamSubscription
    /// The stream's index in its group.
    final var groupIndex = 0
    package final let shows: StreamExtras
    /// The number of whatever speaks for its client; 0 for a client itself.
    package final let origin: UInt16
    /// Which news of presence it has. The hub sets where it begins.
    package final var presence = PresenceReader()

    package init(_ subscription: StreamSubscription, shows: StreamExtras, from origin: UInt16) {
        self.subscription = subscription
        self.shows = shows
        self.origin = origin
    }

    /// The actor that is asked for its right to read after each commit; nil if it cannot lose it. The session sets it.
    final var visitor: Actor?
    /// The revision at which it was subscribed.
    final var firstRevision = 0
    /// The knowledge of its client about its own entries; nil for a client that does not ask. The session sets it.
    package final var sync: SyncReader?

    /// Whether its client came by a permit that may not be used any more.
    open var hasInvalidPermit: Bool { false }

    /// Its client; nil for an anonymous one.
    open var actor: Actor? { nil }

    open func send(_ frame: EventFrame) { preconditionFailure("a subscriber takes events") }

    open func sendEffect(_ event: EncodedEvent) { preconditionFailure("a subscriber takes events of effects") }

    open func sendPresence(_ news: EncodedPresence) { preconditionFailure("a subscriber takes news of presence") }

    open func sendSignal(_ event: EncodedEvent) { preconditionFailure("a subscriber takes signals") }

    /// Sends `closed` if there is a reason, and ends.
    open func end(_ reason: String?) { preconditionFailure("a subscriber ends") }
}

/// The events that a stream shows besides those of the selected value.
package struct StreamExtras: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The phases of effects.
    package static let effects = StreamExtras(rawValue: 1)
    /// The entries of the action log.
    package static let actions = StreamExtras(rawValue: 2)
    /// The presence of the actors that watch.
    package static let presence = StreamExtras(rawValue: 4)
    /// The messages of other clients.
    package static let signals = StreamExtras(rawValue: 8)
    /// That the client is up to date, once it is.
    package static let ready = StreamExtras(rawValue: 16)
    /// The clients whose entries a value contains.
    package static let through = StreamExtras(rawValue: 32)
}

/// How many streams a session may have, and how much of one is kept.
package struct StreamLimits: Sendable {
    package let maxPerSession: Int
    /// How many different views all clients share. An actor may have as many of its own.
    package let maxViews: Int
    /// How many more there may be that show the value of one actor.
    package let maxActorViews: Int
    /// How long the patches are that a reconnecting client may get. Otherwise it gets the state, whose bytes are shared.
    package let maxMissedBytes: Int

    /// More bytes of missed patches than this are never sent: the state is shorter. Nor are more bytes of missed actions.
    package static let mostMissedBytes = 1 << 18

    package init(maxPerSession: Int, maxViews: Int, maxActorViews: Int, maxMissedBytes: Int) {
        self.maxPerSession = maxPerSession
        self.maxViews = maxViews
        self.maxActorViews = maxActorViews
        self.maxMissedBytes = min(maxMissedBytes, Self.mostMissedBytes)
    }
}
