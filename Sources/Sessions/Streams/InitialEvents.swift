/// The first events of a stream. Later events belong to later revisions.
package struct InitialEvents: Sendable {
    package enum Value: Sendable {
        /// The selected value.
        case state(StateEvent)
        /// The events that the client has missed.
        case events(upTo: Int, MissedEvents)
    }

    package let value: Value
    /// The actions that the client has missed, if it asks for them.
    package let actions: MissedActions.Events
    /// Says that the client is up to date; nil if it does not ask.
    package var ready: ReadyNews?
    /// The client has been told of its entries up to this decision.
    package var decision = 0

    init(_ value: Value, _ actions: MissedActions.Events = .none) {
        self.value = value
        self.actions = actions
    }

    /// The revision that they show.
    package var revision: Int {
        switch value {
        case .state(let event): event.revision
        case .events(let revision, _): revision
        }
    }

    /// The length of the values in it.
    package var byteCount: Int {
        let length =
            switch value {
            case .state(let event): event.json.count
            case .events(_, let missed): missed.encoded.count
            }
        return length + actions.before.encoded.count + actions.behind.encoded.count
    }
}

/// Events that a client has missed, encoded as one.
package struct MissedEvents: Sendable {
    package let encoded: EncodedEvent
    /// How many there are.
    package let count: Int

    package static let none = MissedEvents(encoded: .none, count: 0)
}
