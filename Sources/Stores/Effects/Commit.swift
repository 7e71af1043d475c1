/// One committed action, as a subscriber and a middleware see it.
public struct Commit<State: Sendable, Action: Sendable>: Sendable {
    /// The revision that this commit made.
    public let revision: Int
    /// What was committed.
    public let action: Action
    /// Who sent it.
    public let origin: Origin
    /// The revision whose action caused this one; nil for a client's.
    public let cause: Int?
    /// The state after the action.
    public let state: State
    /// Whether this is the last commit of its batch; always so for a single action.
    public let endsBatch: Bool

    func map<OtherState, OtherAction>(state: OtherState, action: OtherAction) -> Commit<OtherState, OtherAction> {
        Commit<OtherState, OtherAction>(
            revision: revision, action: action, origin: origin, cause: cause, state: state,
            endsBatch: endsBatch)
    }
}

/// Who sent an action.
public enum Origin: String, Sendable, CaseIterable {
    /// A user of the store.
    case client
    /// A middleware, at once upon a commit.
    case middleware
    /// An effect, while it ran or at its end.
    case effect
    /// The store's host.
    case system
}
