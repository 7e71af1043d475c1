/// A reducer that may wait: it returns the whole next state asynchronously.
///
/// Simpler than middleware if every transition may wait. The price is that each action waits for the one before it.
public protocol AsyncReducer<State, Action>: Sendable {
    /// The state.
    associatedtype State: Sendable
    /// The actions.
    associatedtype Action: Sendable

    /// The state after `action`, or nil if the action is ignored.
    ///
    /// The store runs one call at a time, and nothing else changes the state meanwhile. The reducer must not wait for a dispatch
    /// to its own store: see ``AsyncStore/dispatch(_:)``.
    ///
    ///     case .signIn:
    ///         show(.authenticating)
    ///         return await service.accepts(credentials) ? .authenticated : .failed
    ///
    /// - Parameters:
    ///   - state: the state before the action.
    ///   - action: the action.
    ///   - show: shows a state while the reducer waits. Readers and observers of the store see it at once. It is no commit: it has no
    ///     revision, and no middleware sees it. If the action is then ignored or rejected, they see `state` again. A hosted store
    ///     shows committed states only.
    func reduce(
        _ state: State, _ action: Action, show: @Sendable (State) -> Void
    ) async throws(Rejection) -> State?
}

/// A synchronous reducer for an ``AsyncStore``.
public struct Asynchronous<Rules: Reducer>: AsyncReducer {
    private let rules: AnyReducer<Rules.State, Rules.Action>

    /// An asynchronous reducer that calls `rules` and never waits.
    public init(_ rules: Rules) { self.rules = rules.prepared }

    public func reduce(
        _ state: Rules.State, _ action: Rules.Action, show: @Sendable (Rules.State) -> Void
    ) async throws(Rejection) -> Rules.State? {
        var next = state
        switch rules.apply(action, to: &next) {
        case .accept: return next
        case .ignore, .follow: return nil
        case .reject(let rejection): throw rejection
        }
    }
}

private protocol SynchronousRules<State, Action>: AsyncReducer {
    var prepared: AnyReducer<State, Action> { get }
}

extension Asynchronous: SynchronousRules {
    fileprivate var prepared: AnyReducer<Rules.State, Rules.Action> { rules }
}

extension AsyncReducer {
    /// The reducer in an ``Asynchronous``.
    @usableFromInline package var synchronousRules: AnyReducer<State, Action>? {
        (self as? any SynchronousRules<State, Action>)?.prepared
    }
}
