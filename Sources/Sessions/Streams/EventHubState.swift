/// The decisions of an event hub: who may subscribe, and what of the store must be observed.
package struct EventHubState: Sendable {
    package enum Phase: Sendable, Hashable {
        case open
        /// The session has ended.
        case ended
        /// The session continues elsewhere, or later from its journal.
        case detached
    }

    package private(set) var subscriberCount = 0
    private var effectSubscriberCount = 0
    /// How many subscribers there are of each origin that speaks for its clients.
    private var counts: [UInt16: Int] = [:]
    package private(set) var phase = Phase.open

    package init() {}

    /// Which observations of the store must start.
    package struct Observation: Sendable, Hashable {
        package let commits: Bool
        package let effects: Bool

        package init(commits: Bool, effects: Bool) {
            self.commits = commits
            self.effects = effects
        }
    }

    package enum Subscribing: Sendable, Hashable {
        case accepted(starts: Observation)
        case refused(Refusal)
    }

    package enum Refusal: Sendable, Hashable {
        case full
        case tooManyViews
        case sessionEnded
        /// The session continues elsewhere, or later from its journal.
        case sessionDetached
        /// The permit was revoked or has expired.
        case permitInvalid
        /// The state does not let the actor read.
        case accessDenied
    }

    /// A subscriber comes.
    ///
    /// - Parameters:
    ///   - limit: how many subscribers there may be.
    ///   - exceedsViews: whether its selection and format would be one combination too many.
    ///   - origin: a number for whatever speaks for its client; 0 for a client itself.
    package mutating func subscribe(
        showsEffects: Bool, limit: Int, exceedsViews: Bool = false, from origin: UInt16 = 0
    ) -> Subscribing {
        switch phase {
        case .ended: return .refused(.sessionEnded)
        case .detached: return .refused(.sessionDetached)
        case .open: break
        }
        guard subscriberCount < limit else { return .refused(.full) }
        guard !exceedsViews else { return .refused(.tooManyViews) }
        subscriberCount += 1
        if showsEffects { effectSubscriberCount += 1 }
        if origin != 0 { counts[origin, default: 0] += 1 }
        return .accepted(
            starts: Observation(
                commits: subscriberCount == 1, effects: showsEffects && effectSubscriberCount == 1))
    }

    /// A subscriber leaves.
    ///
    /// - Returns: whether the observation of effects can stop. That of commits costs nothing without subscribers.
    package mutating func unsubscribe(showsEffects: Bool, from origin: UInt16 = 0) -> Bool {
        subscriberCount -= 1
        if let count = counts[origin] { counts[origin] = count > 1 ? count - 1 : nil }
        guard showsEffects else { return false }
        effectSubscriberCount -= 1
        return effectSubscriberCount == 0
    }

    /// Whether all subscribers have one origin.
    package func areAll(from origin: UInt16) -> Bool { counts[origin, default: 0] == subscriberCount }

    /// The session ends; nobody can subscribe any more.
    package mutating func end() { phase = .ended }

    /// The session is detached, unless it has ended.
    package mutating func detach() { if phase == .open { phase = .detached } }
}

/// Decides what a subscriber gets first.
package enum InitialContent: Sendable, Hashable {
    /// The selected value.
    case state
    /// The patches of the commits after a revision.
    case patches(after: Int)
    /// Nothing: the client has the newest value.
    case nothing

    /// - Parameters:
    ///   - seen: the last event that the client has, if any.
    ///   - historyID: the history of the session.
    ///   - revision: the session's revision.
    ///   - lastChangedRevision: the revision that changed the selected value last.
    package init(
        seen: EventID?, historyID: String, revision: Int, lastChangedRevision: Int, format: StreamFormat
    ) {
        // An id of another history, or beyond the newest revision, says nothing about this state.
        if let seen = seen?.revision(in: historyID, upTo: revision) {
            if seen >= lastChangedRevision {
                self = .nothing
                return
            }
            if format.showsPatches {
                self = .patches(after: seen)
                return
            }
        }
        self = .state
    }
}
