/// Answers commits with effects: the place for side effects.
///
/// A store asks all of its middlewares, in the declared order, about every commit. One that has nothing to do returns `.none`;
/// it cannot hide a commit from the next. The methods are called under the lock of the store, so they must be quick: work that
/// takes time belongs in an ``Effect``. They cannot throw: a failure is an action. A middleware that also sees actions before
/// the reducer is an ``Interceptor``. One that only writes a log is a ``CommitLogger``.
///
/// It composes where reducers do: ``scoped(_:_:)``, ``ifPresent()``, ``ifCase(_:_:)`` and ``forEach(_:)``. A reducer that has
/// it by ``Reducer/with(_:)`` takes it along.
public protocol Middleware<State, Action>: Sendable {
    /// The state of its stores.
    associatedtype State: Sendable
    /// The actions of its stores.
    associatedtype Action: Sendable

    /// The effects that follow a commit.
    ///
    /// It is called once for each action that the reducer accepts, batched or not. For a batch, and for an action near the
    /// limit of effects, that is before the commit: the store counts the effects first. If they are too many, the action is
    /// rejected although the middleware has seen it. The dry run of such an action asks too, and starts nothing.
    ///
    /// - Parameter commit: the action, its origin, and the state after it.
    func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action>

    /// The effects that follow when a store continues from a saved state: it arms timers and reports interrupted calls. By
    /// default none.
    func resume(_ state: State) -> Effect<Action>

    /// Another spelling of ``resume(_:)``, which it calls by default. Without it, Swift would ignore a method of this name in
    /// silence.
    func resume(from state: State) -> Effect<Action>

    /// Whether ``respond(to:)`` reads ``Commit/previousState``. By default false.
    ///
    /// The store then copies the state before each action, and the action copies the collections that it changes.
    var readsPreviousState: Bool { get }

    /// This middleware with its type erased, as a store calls it.
    var prepared: AnyMiddleware<State, Action> { get }
}

extension Middleware {
    @inlinable
    public func resume(_ state: State) -> Effect<Action> { .none }
    @inlinable
    public func resume(from state: State) -> Effect<Action> { resume(state) }
    @inlinable public var readsPreviousState: Bool { false }
    /// A new object with each call. A store stores it.
    @inlinable
    public var prepared: AnyMiddleware<State, Action> { AnyMiddleware(self) }
}

/// A middleware that also sees actions before the reducer.
///
/// A store asks its interceptors in the declared order. Each gets the action as the one before it returned it.
///
/// One without effects answers each commit by `.none` in ``Middleware/respond(to:)``. There is no default: Swift would take a misspelt
/// method for another one, and call the default in silence.
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

    /// Converts this decision for a store whose actions embed these.
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
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { prepared.answer(commit) }
}

/// A middleware that only watches: it writes a log, and starts no effect.
///
///     CommitLogger(previousState: true) { commit in
///         log("\(commit.action): \(commit.previousState) → \(commit.state)")
///     }
///
/// It is called exactly once for each commit, in the order of the commits, and never for an action that is rejected.
public struct CommitLogger<State: Sendable, Action: Sendable>: Middleware {
    public let prepared: AnyMiddleware<State, Action>
    public let readsPreviousState: Bool

    /// A middleware that calls `write` for each commit.
    ///
    /// - Parameters:
    ///   - previousState: whether `write` reads ``Commit/previousState``, which costs a copy.
    ///   - write: called under the lock of the store, so it must be quick.
    @inlinable
    public init(previousState: Bool = false, _ write: @escaping @Sendable (borrowing Commit<State, Action>) -> Void) {
        readsPreviousState = previousState
        prepared = AnyMiddleware(
            respond: { commit in
                write(commit)
                return .none
            }, onlyWatches: true, readsPreviousState: previousState)
    }

    @inlinable
    public func respond(to commit: borrowing Commit<State, Action>) -> Effect<Action> { prepared.answer(commit) }
}
