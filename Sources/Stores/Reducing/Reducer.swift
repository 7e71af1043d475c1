/// How state changes: says what it makes of an action, then changes the state in place.
///
/// The two steps are apart so that a rejection leaves no trace. `decide` only reads. `reduce` cannot fail, and runs only
/// once the whole of a composed reducer has accepted. A reducer is pure: the same state and action give the same result,
/// and it is given no store, so it cannot dispatch.
public protocol Reducer<State, Action>: Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// What this reducer says of `action` now, by reading only.
    ///
    /// Of composed reducers, one rejection rejects; else one acceptance accepts; else the action is ignored. A reducer
    /// that only watches another slice's actions returns `.ignore` here and does its part in `reduce`.
    func decide(_ action: Action, in state: State) -> Decision

    /// Changes `state` for an action that was accepted, by this reducer or by one that it is composed with.
    ///
    /// Does nothing for an action that is none of its business.
    func reduce(_ state: inout State, _ action: Action)

    /// Both steps: changes `state` only where the answer is `.accept`. A reducer that finds both in one go may do so.
    func apply(_ action: Action, to state: inout State) -> Decision
}

extension Reducer {
    /// Accepts: for reducers that refuse nothing.
    public func decide(_ action: Action, in state: State) -> Decision { .accept }

    @inlinable
    public func apply(_ action: Action, to state: inout State) -> Decision {
        let decision = decide(action, in: state)
        if decision == .accept { reduce(&state, action) }
        return decision
    }
}

/// What a reducer says of an action before anything changes.
public enum Decision: Sendable, Hashable {
    /// The action applies; `reduce` follows and a revision is made.
    case accept
    /// There is nothing to do for this action now; no revision is made.
    case ignore
    /// The action must not happen now; nothing changes and the sender learns the reason.
    case reject(Rejection)

    /// How two parts of a composed reducer are heard together.
    @inlinable
    public func joined(with other: @autoclosure () -> Decision) -> Decision {
        if case .reject = self { return self }
        let other = other()
        if case .reject = other { return other }
        return self == .accept ? .accept : other
    }
}
