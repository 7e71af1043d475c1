/// Answers commits with effects: the place for side effects.
///
/// A store asks all of its middlewares, in the declared order, about every commit. One that has nothing to do returns `.none`;
/// it cannot hide a commit from the next. The methods are called under the lock of the store, so they must be quick: work that
/// takes time belongs in an ``Effect``. They cannot throw: a failure is an action. A middleware that also sees actions before
/// the reducer is an ``Interceptor``.
public protocol Middleware<State, Action>: Sendable {
    /// The state of its stores.
    associatedtype State: Sendable
    /// The actions of its stores.
    associatedtype Action: Sendable

    /// The effects that follow a commit. By default none.
    ///
    /// It must not act by itself: for a batch, and for an action near the limit of effects, the store calls it once more in
    /// advance to count the effects.
    ///
    /// - Parameter commit: the action, its origin, and the state after it.
    func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action>

    /// The effects that follow when a store continues from a saved state: it arms timers and reports interrupted calls. By
    /// default none.
    func resume(_ state: State) -> Effect<Action>

    /// The same middleware with its type erased.
    var prepared: AnyMiddleware<State, Action> { get }
}

extension Middleware {
    @inlinable
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { .none }
    @inlinable
    public func resume(_ state: State) -> Effect<Action> { .none }
    /// A new object with each call. A store stores it.
    @inlinable
    public var prepared: AnyMiddleware<State, Action> { AnyMiddleware { respond(to: $0) } }
}

/// A middleware that also sees actions before the reducer.
///
/// A store asks its interceptors in the declared order. Each gets the action as the one before it returned it.
public protocol Interceptor<State, Action>: Middleware {
    // Repeated, so that the compiler infers them from `intercept(_:in:)` alone.
    /// The state of its stores.
    associatedtype State
    /// The actions of its stores.
    associatedtype Action

    /// Passes `action` on, replaces it, stops it or rejects it.
    ///
    /// - Parameters:
    ///   - action: the action of the sender, or of the interceptor before.
    ///   - state: the state before the action. A stored copy makes the next change copy.
    func intercept(_ action: Action, in state: State) -> Interception<Action>
}

/// The decision of an interceptor on an action.
public enum Interception<Action: Sendable>: Sendable {
    /// The action continues unchanged.
    case pass
    /// Another action continues in its place.
    case replace(Action)
    /// The action ends here, as ``Outcome/ignored``.
    case stop
    /// The action ends here, and its sender gets the rejection.
    case reject(Rejection)

    /// The same decision for a store whose actions embed these.
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

/// A middleware made of one function.
public struct MiddlewareFunction<State: Sendable, Action: Sendable>: Middleware {
    public let prepared: AnyMiddleware<State, Action>

    /// A middleware that answers each commit by `function`.
    @inlinable
    public init(_ function: @escaping @Sendable (borrowing Commit<State, Action>) -> Effect<Action>) {
        prepared = AnyMiddleware(function)
    }

    @inlinable
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { prepared.respond(commit) }
}

extension Middleware {
    /// The same middleware for a store whose state and actions contain those of this one.
    @inlinable
    public func scoped<ParentState: Sendable, ParentAction: Sendable>(
        _ state: any KeyPath<ParentState, State> & Sendable, _ action: CasePath<ParentAction, Action>
    ) -> ScopedMiddleware<ParentState, ParentAction, Self> {
        ScopedMiddleware(state, action, self)
    }
}

/// A middleware for one slice of the state and the actions nested in one case.
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
            // `matches` is cheap, and most commits belong to other slices.
            guard action.matches(commit.action), let nested = action.value(in: commit.action) else { return .none }
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
        guard let nested = self.action.value(in: action) else { return .pass }
        return part.intercept(nested, in: state[keyPath: self.state]).map(self.action.embed)
    }
}

/// The middlewares of a store. Any number of stores may share one stack.
@usableFromInline
package final class MiddlewareStack<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package let all: [any Middleware<State, Action>]
    @usableFromInline package let interceptors: [any Interceptor<State, Action>]
    /// All middlewares, with their types erased.
    @usableFromInline package let responders: UnretainedArray<AnyMiddleware<State, Action>>
    @usableFromInline package let intercepts: Bool

    @usableFromInline
    package init(_ all: [any Middleware<State, Action>]) {
        self.all = all
        interceptors = all.compactMap { $0 as? any Interceptor<State, Action> }
        responders = UnretainedArray(all.map { $0.prepared })
        intercepts = !interceptors.isEmpty
    }
}

/// A middleware with its type erased, as a store calls it after each commit. ``AnyReducer`` explains why it exists.
public final class AnyMiddleware<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline package let respond: @Sendable (borrowing Commit<State, Action>) -> Effect<Action>

    /// A middleware that answers each commit by `respond`.
    @inlinable
    public init(_ respond: @escaping @Sendable (borrowing Commit<State, Action>) -> Effect<Action>) {
        self.respond = respond
    }
}
