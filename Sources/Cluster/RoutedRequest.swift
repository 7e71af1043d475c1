/// Where a session is that a node does not have, as far as the node knows.
package enum SessionPlace: Sendable, Equatable {
    case elsewhere(NodeIncarnation)
    /// Redis has to be asked.
    case unknown
    /// The node hands it over to another one, and Redis has not answered yet.
    case releasing
    /// The node has handed it over a moment ago. Nobody may have claimed it yet.
    case released
}

/// Decides what a node does with a request for a session that it does not have: claim the session, forward the request to the
/// owner, or give up.
///
/// The node that a client talks to asks again when the owner refuses, dies or loses the session, until a deadline. The node
/// that gets a forwarded request never forwards it: it asks Redis if it does not have the session, and refuses if another node
/// owns it, so no request travels in a circle. A write that an owner may
/// have committed is repeated only if it has an idempotency key.
package struct RoutedRequest: Sendable {
    /// The kinds of requests, which differ in what can be repeated.
    package enum Kind: Sendable, Equatable {
        case read
        case write(isIdempotent: Bool)
    }

    /// The next step of the request.
    package enum Step: Sendable, Equatable {
        /// Ask Redis, or wait for the answer if it was asked. Check the lease when the answer is made.
        case claim
        /// Wait until the session is handed over, or stays.
        case awaitRelease
        case forward(to: NodeIncarnation)
        /// Look where the session is after so many milliseconds.
        case lookAgain(after: Int)
        /// Tell the node that has forwarded it: the session is not here, and nothing was committed.
        case answerNotHere
        /// Nothing was committed: 503 `storage-unavailable`, or `draining`.
        case answerUnavailable
        /// 504 `outcome-unknown`: the log tells whether it was committed.
        case answerUnknown
    }

    /// Why there is no answer for the client.
    package enum Failure: Sendable, Equatable {
        /// The session is not there, and nothing was committed.
        case notHere
        /// It was not sent, since the node cannot be reached.
        case notSent
        /// Nothing was committed, since Redis cannot be reached.
        case unavailable
        /// The owner may have committed it.
        case unknown
    }

    private let kind: Kind
    /// Whether it comes from another node.
    package let isForwarded: Bool
    private let deadline: Int
    /// Whether an earlier owner may have done it.
    package private(set) var mayBeCommitted = false
    private var hasAsked = false
    private var refusals = 0

    /// - Parameters:
    ///   - kind: what can be repeated.
    ///   - isForwarded: whether it comes from another node.
    ///   - deadline: when to give up, by the node's monotonic clock. It has to leave time for a lease to end.
    package init(_ kind: Kind, isForwarded: Bool, deadline: Int) {
        self.kind = kind
        self.isForwarded = isForwarded
        self.deadline = deadline
    }

    /// The next step if nothing has failed.
    ///
    /// - Parameters:
    ///   - place: where the session is.
    ///   - isDraining: whether the node claims nothing more.
    package mutating func next(_ place: SessionPlace, isDraining: Bool, now: Int) -> Step {
        guard now < deadline else { return giveUp }
        switch place {
        case .elsewhere(let owner) where !isForwarded: return .forward(to: owner)
        // The knowledge of this node may be older than that of the node that has forwarded it.
        case .elsewhere where hasAsked: return .answerNotHere
        // Whichever node has forwarded it may claim the session now.
        case .released where isForwarded: return .answerNotHere
        case .releasing: return .awaitRelease
        case _ where isDraining: return isForwarded ? .answerNotHere : giveUp
        case .unknown, .elsewhere, .released:
            hasAsked = true
            return .claim
        }
    }

    /// The next step after a failure. Forget where the session was before.
    package mutating func failed(_ failure: Failure, now: Int) -> Step {
        switch failure {
        case .notHere, .notSent:
            if isForwarded { return .answerNotHere }
        case .unavailable:
            if isForwarded || !mayBeCommitted { return giveUp }
        case .unknown:
            if case .write(let isIdempotent) = kind {
                mayBeCommitted = true
                if isForwarded || !isIdempotent { return .answerUnknown }
            }
        }
        guard now < deadline else { return giveUp }
        refusals += 1
        // The first refusal only says that the node's knowledge was old.
        return refusals == 1 ? .lookAgain(after: 0) : lookAgain
    }

    /// The owner changes within a lease, so this is seldom repeated.
    private var lookAgain: Step { .lookAgain(after: min(400, 25 << min(refusals, 4))) }

    private var giveUp: Step { mayBeCommitted ? .answerUnknown : .answerUnavailable }
}
