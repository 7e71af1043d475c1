/// Sees each committed action, after the reducer, and answers with what is to be done: the place for side effects.
///
/// Several run in the declared order, each on every action: one that has nothing to do returns `.none` and never
/// silences the next. The state is there to be read; keeping a copy of it makes the next change copy too.
public protocol Middleware<State, Action>: Sendable {
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// - Parameter commit: the action, the state that it led to, and where it came from.
    func respond(to commit: Commit<State, Action>) -> Effect<Action>
}

/// A middleware that is a function.
public struct MiddlewareFunction<State: Sendable, Action: Sendable>: Middleware {
    private let function: @Sendable (Commit<State, Action>) -> Effect<Action>

    /// A middleware that answers as `function` does.
    public init(_ function: @escaping @Sendable (Commit<State, Action>) -> Effect<Action>) { self.function = function }

    public func respond(to commit: Commit<State, Action>) -> Effect<Action> { function(commit) }
}

extension Middleware {
    /// The same middleware for a store whose state and actions embed this one's.
    public func scoped<ParentState: Sendable, ParentAction: Sendable>(
        _ state: any KeyPath<ParentState, State> & Sendable, _ action: CasePath<ParentAction, Action>
    ) -> MiddlewareFunction<ParentState, ParentAction> {
        MiddlewareFunction { commit in
            guard let nested = action.extract(commit.action) else { return .none }
            return respond(to: commit.map(state: commit.state[keyPath: state], action: nested)).map(action.embed)
        }
    }
}
