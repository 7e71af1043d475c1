/// Answers commits with effects: the place for side effects.
///
/// Several run in the declared order, each on every commit: one that has nothing to do returns `.none` and never silences
/// the next. Its methods are called inside the store, so they must be quick; what takes its time belongs into an ``Effect``.
/// None can fail: a failure is an action like every other result. One that also wants to see actions before they are reduced
/// is an ``Interceptor``.
public protocol Middleware<State, Action>: Sendable {
    /// The state of the stores that it serves.
    associatedtype State: Sendable
    /// What is sent to them.
    associatedtype Action: Sendable

    /// What is to be done after a commit. Nothing unless it is written otherwise.
    ///
    /// It answers and does not act: where the effects of a batch, or of an action near the limit, might be too many, it is
    /// asked once more beforehand.
    ///
    /// - Parameter commit: the action, the state that it led to, and where it came from.
    func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action>

    /// What is to be done when a store goes on from a state that was kept: timers to arm, calls that were cut off to report.
    /// Nothing unless it is written otherwise.
    func resume(_ state: State) -> Effect<Action>

    /// The same middleware, made ready to be asked often.
    var prepared: AnyMiddleware<State, Action> { get }
}

extension Middleware {
    @inlinable
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { .none }
    @inlinable
    public func resume(_ state: State) -> Effect<Action> { .none }
    /// Made anew with each call: whoever asks often keeps it.
    @inlinable
    public var prepared: AnyMiddleware<State, Action> { AnyMiddleware { respond(to: $0) } }
}

/// A middleware that also stands between the sender and the reducer.
///
/// Several are asked in the declared order, each with what the one before made of the action.
public protocol Interceptor<State, Action>: Middleware {
    // Said again, so that one that is only an interceptor need not name them.
    /// The state of the stores that it serves.
    associatedtype State
    /// What is sent to them.
    associatedtype Action

    /// What becomes of `action` before the reducer sees it.
    ///
    /// - Parameters:
    ///   - action: as the sender, or the interceptor before, gave it.
    ///   - state: as it is before the action; to be read, not kept.
    func intercept(_ action: Action, in state: State) -> Interception<Action>
}

/// What a middleware makes of an action before it is reduced.
public enum Interception<Action: Sendable>: Sendable {
    /// It goes on as it is.
    case pass
    /// Another goes on in its place.
    case replace(Action)
    /// It goes no further, and ends as ``Outcome/ignored``.
    case stop
    /// It goes no further, and the sender gets this answer.
    case reject(Rejection)

    /// The same for a store whose actions embed this one's.
    @inlinable
    package func map<Parent: Sendable>(_ embed: (Action) -> Parent) -> Interception<Parent> {
        switch self {
        case .pass: .pass
        case .replace(let action): .replace(embed(action))
        case .stop: .stop
        case .reject(let rejection): .reject(rejection)
        }
    }
}

/// A middleware that is a function of the commit.
public struct MiddlewareFunction<State: Sendable, Action: Sendable>: Middleware {
    public let prepared: AnyMiddleware<State, Action>

    /// A middleware that answers as `function` does.
    @inlinable
    public init(_ function: @escaping @Sendable (borrowing Commit<State, Action>) -> Effect<Action>) {
        prepared = AnyMiddleware(function)
    }

    @inlinable
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { prepared.respond(commit) }
}

extension Middleware {
    /// The same middleware for a store whose state and actions embed this one's.
    @inlinable
    public func scoped<ParentState: Sendable, ParentAction: Sendable>(
        _ state: any KeyPath<ParentState, State> & Sendable, _ action: CasePath<ParentAction, Action>
    ) -> ScopedMiddleware<ParentState, ParentAction, Self> {
        ScopedMiddleware(state, action, self)
    }
}

/// A middleware that sees one slice of the state, and the actions nested in one case.
public struct ScopedMiddleware<State: Sendable, Action: Sendable, Part: Middleware>: Middleware {
    @usableFromInline package let state: any KeyPath<State, Part.State> & Sendable
    @usableFromInline package let action: CasePath<Action, Part.Action>
    @usableFromInline package let part: Part
    public let prepared: AnyMiddleware<State, Action>

    @inlinable @inline(__always)
    package init(
        _ state: any KeyPath<State, Part.State> & Sendable, _ action: CasePath<Action, Part.Action>, _ part: Part
    ) {
        self.state = state
        self.action = action
        self.part = part
        prepared = AnyMiddleware { commit in
            // Most commits are none of its business.
            guard action.matches(commit.action), let nested = action.extract(commit.action) else { return .none }
            return commit.narrowed(to: commit.state[keyPath: state], nested) { part.respond(to: $0).map(action.embed) }
        }
    }

    @inlinable
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { prepared.respond(commit) }

    @inlinable
    public func resume(_ state: State) -> Effect<Action> {
        part.resume(state[keyPath: self.state]).map(action.embed)
    }
}

extension ScopedMiddleware: Interceptor where Part: Interceptor {
    @inlinable
    public func intercept(_ action: Action, in state: State) -> Interception<Action> {
        guard let nested = self.action.extract(action) else { return .pass }
        return part.intercept(nested, in: state[keyPath: self.state]).map(self.action.embed)
    }
}

/// The middlewares of a store, which any number of stores share.
@usableFromInline
package final class MiddlewareStack<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package let all: [any Middleware<State, Action>]
    @usableFromInline package let interceptors: [any Interceptor<State, Action>]
    /// What each makes of a commit.
    @usableFromInline package let responders: UnretainedArray<AnyMiddleware<State, Action>>
    /// Whether there are interceptors.
    @usableFromInline package let intercepts: Bool

    @usableFromInline
    package init(_ all: [any Middleware<State, Action>]) {
        self.all = all
        interceptors = all.compactMap { $0 as? any Interceptor<State, Action> }
        responders = UnretainedArray(all.map { $0.prepared })
        intercepts = !interceptors.isEmpty
    }
}

/// A middleware made ready to be asked often, whatever its type: what a store asks after each commit.
///
/// Its function is made where the type of the middleware is known, so that the compiler specializes it, and is called without a
/// copy of anything.
public final class AnyMiddleware<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package let respond: @Sendable (borrowing Commit<State, Action>) -> Effect<Action>

    /// What answers as `respond` does.
    @inlinable
    public init(_ respond: @escaping @Sendable (borrowing Commit<State, Action>) -> Effect<Action>) {
        self.respond = respond
    }
}
