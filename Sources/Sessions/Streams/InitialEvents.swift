/// The first events of a stream. Later events belong to later revisions.
package enum InitialEvents: Sendable {
    /// The selected value.
    case state(StateEvent)
    /// The events that the client has missed.
    case events(upTo: Int, MissedEvents)

    /// The revision that they show.
    package var revision: Int {
        switch self {
        case .state(let event): event.revision
        case .events(let revision, _): revision
        }
    }

    /// The length of the values in it.
    package var byteCount: Int {
        switch self {
        case .state(let event): event.json.count
        case .events(_, let missed): missed.encoded.count
        }
    }
}

/// Events that a client has missed, encoded as one.
package struct MissedEvents: Sendable {
    package let encoded: EncodedEvent
    /// How many there are.
    package let count: Int

    package static let none = MissedEvents(encoded: .none, count: 0)
}
