public import JSON

/// The server decided against an action.
public struct ActionRejected: Error, Sendable, Hashable {
    /// The kinds of refusals.
    public enum Outcome: String, Sendable {
        /// By the rules of the store.
        case rejected
        /// The state is not of the revision that the action was sent for.
        case mismatched
        /// The action is not valid, or this client may not send it.
        case refused
    }

    /// The kind of the refusal.
    public let outcome: Outcome
    /// The code of the store's rule, such as `sold-out`, or of the problem, such as `unknown-action`.
    public let reason: String
    /// The revision at which it was decided.
    public let revision: Int
    /// Which action of those that were sent together, from 0.
    public let index: Int
    /// The problem as the server has told it (RFC 9457).
    public let problem: JSONValue

    init?(_ result: EntryResult) {
        guard let outcome = Outcome(rawValue: result.outcome.rawValue) else { return nil }
        self.outcome = outcome
        problem = result.problem ?? .null
        reason = problem["reason"]?.asString ?? problem["code"]?.asString ?? outcome.rawValue
        revision = result.revision
        index = problem["index"]?.asInteger ?? 0
    }
}

/// The server no longer knows whether an action was committed.
public struct OutcomeUnknown: Error, Sendable, Hashable {}

/// The outbox has 1000 entries or 1 MiB, or the action is larger than any request may be.
public struct OutboxFull: Error, Sendable, Hashable {}

/// The connection ended before the action was decided.
public struct ConnectionEnded: Error, Sendable, Hashable {
    /// See ``RemoteConnection/Status/ended(_:)``.
    public let reason: String
}

extension ActionRejected {
    /// An action that the definition of the kind does not contain.
    init(undeclaredAt revision: Int) {
        outcome = .refused
        reason = "unknown-action"
        index = 0
        problem = .null
        self.revision = revision
    }
}
