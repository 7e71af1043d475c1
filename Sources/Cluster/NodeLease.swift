/// One incarnation of a node. A node that was started again, or has lost its lease, begins another one.
package struct NodeIncarnation: Hashable, Sendable {
    /// Random, so that none is given twice, even after a failover to a replica that does not know the newest.
    package let number: Int
    /// Where other nodes reach it: `host:port`. It is the node's name.
    package let address: String

    /// An incarnation that Redis has registered.
    package init(number: Int, address: String) {
        self.number = number
        self.address = address
    }
}

/// Decides when a node registers with Redis and renews its lease, and whether it may answer for its sessions.
///
/// Redis forgets an incarnation when `duration` has passed since it executed the last renewal, and gives the sessions of a forgotten incarnation
/// to whoever asks for them. The node cannot know when Redis executed a renewal, but it was after the node sent it. So the node
/// counts the lease from there, by its own monotonic clock, and stops answering a margin earlier: it stops before Redis
/// forgets it, as long as the two clocks drift apart by less than the margin within a lease. A clock that is set does no harm,
/// neither does a pause of the process: the time is compared after the answer was made.
///
/// All times are milliseconds of the node's monotonic clock, which must go on while the machine is suspended.
package struct NodeLease: Sendable {
    /// How long a lease is, and what follows from that.
    package struct Terms: Sendable, Equatable {
        /// For how long Redis remembers an incarnation after a renewal.
        package let duration: Int
        /// How much earlier the node stops answering.
        package let margin: Int
        /// How often the lease is renewed. At least twice a second, because the answer also lists the nodes.
        package let interval: Int

        /// - Parameters:
        ///   - duration: milliseconds, as `cluster.lease` says.
        ///   - margin: milliseconds; a tenth of the lease by default.
        package init(duration: Int, margin: Int? = nil) {
            self.duration = duration
            self.margin = margin ?? duration / 10
            interval = max(1, min(500, duration / 10))
        }
    }

    /// The requests of the node to Redis.
    package enum Command: Sendable, Equatable {
        case register
        case renew(NodeIncarnation)
        /// Gives all sessions back at once.
        case leave(NodeIncarnation)
    }

    /// A command, and when it was sent.
    package struct Request: Sendable, Equatable {
        package let command: Command
        package let sentAt: Int

        /// - Parameter sentAt: when it was sent, or earlier.
        package init(_ command: Command, sentAt: Int) {
            self.command = command
            self.sentAt = sentAt
        }
    }

    /// The answer of Redis to a request.
    package enum Answer: Sendable, Equatable {
        /// The incarnation is registered, or its lease is renewed.
        case granted(NodeIncarnation)
        /// Redis does not know the incarnation, or knows it no more.
        case forgotten
    }

    /// The meaning of an answer for the node's sessions.
    package enum Change: Sendable, Equatable {
        /// The node may claim sessions from now on.
        case began(NodeIncarnation)
        /// The node has lost all its sessions: drop what is in memory of them.
        case ended(NodeIncarnation)
        /// All sessions are given back.
        case left
    }

    private enum Phase: Sendable {
        case joining
        case member(NodeIncarnation, until: Int)
        case leaving(NodeIncarnation)
        case left
    }

    private let terms: Terms
    private var phase = Phase.joining
    /// When the next request is due.
    package private(set) var nextRequestAt: Int

    /// - Parameter now: the node registers at once.
    package init(_ terms: Terms, now: Int) {
        self.terms = terms
        nextRequestAt = now
    }

    /// The incarnation that is registered, whether or not its lease holds; nil if there is none.
    package var incarnation: NodeIncarnation? {
        guard case .member(let incarnation, _) = phase else { return nil }
        return incarnation
    }

    /// Whether the node has given its sessions back, or does so now, and gets no more.
    package var hasLeft: Bool {
        switch phase {
        case .joining, .member: false
        case .leaving, .left: true
        }
    }

    /// When the node has to stop answering; nil if it does not answer.
    package var end: Int? {
        guard case .member(_, let end) = phase else { return nil }
        return end
    }

    /// How often the lease is renewed.
    package var interval: Duration { .milliseconds(terms.interval) }

    /// Whether the node may answer for its sessions. Ask when the answer is made, not before.
    package func holds(at now: Int) -> Bool { end.map { now < $0 } ?? false }

    /// The request that is due; nil if none is. Earlier requests may still be unanswered.
    package mutating func nextRequest(now: Int) -> Request? {
        guard now >= nextRequestAt else { return nil }
        nextRequestAt = now + terms.interval
        switch phase {
        case .joining: return Request(.register, sentAt: now)
        case .member(let incarnation, _): return Request(.renew(incarnation), sentAt: now)
        case .leaving(let incarnation): return Request(.leave(incarnation), sentAt: now)
        case .left: return nil
        }
    }

    /// Takes an answer, however late, and however often the same one.
    package mutating func take(_ answer: Answer, to request: Request, now: Int) -> Change? {
        switch (phase, request.command, answer) {
        case (.joining, .register, .granted(let incarnation)):
            phase = .member(incarnation, until: request.sentAt + terms.duration - terms.margin)
            return .began(incarnation)
        case (.member(let incarnation, let end), .renew(let renewed), .granted) where renewed == incarnation:
            phase = .member(incarnation, until: max(end, request.sentAt + terms.duration - terms.margin))
            return nil
        case (.member(let incarnation, _), .renew(let renewed), .forgotten) where renewed == incarnation:
            phase = .joining
            nextRequestAt = now
            return .ended(incarnation)
        case (.leaving(let incarnation), .leave(let given), _) where given == incarnation:
            phase = .left
            return .left
        default: return nil
        }
    }

    /// Stops answering, and gives all sessions back. Everything that the node has sent for its sessions must be answered.
    ///
    /// - Returns: whether there is something to give back. If so, it is done when ``take(_:to:now:)`` returns `.left`.
    package mutating func leave(now: Int) -> Bool {
        guard case .member(let incarnation, _) = phase else {
            if case .joining = phase { phase = .left }
            return false
        }
        phase = .leaving(incarnation)
        nextRequestAt = now
        return true
    }
}
