/// Decides on an action, then changes the state in place.
///
/// The two steps are separate, so that a rejection leaves no trace. `decide` only reads. `reduce` cannot fail. In a composed
/// reducer all parts at all depths decide before any part reduces, so no part must undo a change because a later part rejects.
/// A reducer that accepts every action says so in one line, or is a ``Reduce``: with a default, Swift would take a misspelt `decide`
/// for another method, and accept every action in silence.
///
/// A reducer is pure: the same state and action give the same result. It must not call the store that runs it. A reducer that
/// reads, observes, subscribes to, dispatches to or ends its own store stops the process, in every build.
public protocol Reducer<State, Action>: Sendable {
    /// The state: a value.
    associatedtype State: Sendable
    /// The actions: usually an enumeration.
    associatedtype Action: Sendable

    /// The decision on `action`. It must only read.
    ///
    /// In a composed reducer one rejection rejects the action; otherwise one acceptance accepts it; otherwise it is ignored. A
    /// reducer that follows the actions of another slice returns `.follow` here and changes its part in `reduce`. All parts decide on
    /// the state before the action.
    func decide(_ action: Action, in state: State) -> Decision

    /// Changes `state` for an action that this reducer has accepted, or has followed while another part accepted it.
    ///
    /// It is not called for an action that the reducer ignored. The parts of a composed reducer run in order, each on the state that
    /// the one before it left.
    func reduce(_ state: inout State, _ action: Action)

    /// Whether this reducer may accept, reject or reduce `action`. By default true.
    ///
    /// A composed reducer skips the parts for which it is false.
    func concerns(_ action: Action) -> Bool

    /// Another spelling of ``concerns(_:)``, which it calls by default. Without it, Swift would ignore a method of this name in
    /// silence.
    func concerns(action: Action) -> Bool

    /// Both steps: changes `state` only if the decision is `.accept`. A reducer may implement both in one pass.
    func apply(_ action: Action, to state: inout State) -> Decision

    /// This reducer with its type erased, as stores and compositions keep it.
    var prepared: AnyReducer<State, Action> { get }
}

extension Reducer {
    /// Adds middleware for the state and the actions of this reducer: one declaration for both.
    ///
    ///     Scope(\.draft, .draft, IfPresent(DraftReducer().with(DraftMiddleware(client))))
    ///
    /// The middleware goes where the reducer goes: into a ``Scope``, an ``IfPresent``, an ``IfCase``, a ``ForEach``, an
    /// ``Undoable`` and ``Invariants``, and into the store. A reducer of your own that calls another one by itself takes none
    /// along.
    ///
    /// - Parameter middleware: in the order in which they see actions and commits.
    @inlinable
    public func with(_ middleware: any Middleware<State, Action>...) -> AnyReducer<State, Action> {
        let reducer = prepared
        return AnyReducer(reducer, reducer.middleware + middleware.map { $0.prepared })
    }

    /// True for every action.
    @inlinable @inline(__always)
    public func concerns(_ action: Action) -> Bool { true }

    /// The answer of ``concerns(_:)``.
    @inlinable @inline(__always)
    public func concerns(action: Action) -> Bool { concerns(action) }

    /// A new object with each call. Stores and compositions store it.
    @inlinable
    public var prepared: AnyReducer<State, Action> { AnyReducer(self) }

    /// Decides, then reduces if the decision is `.accept`.
    @inlinable @inline(__always)
    public func apply(_ action: Action, to state: inout State) -> Decision {
        let decision = decide(action, in: state)
        if case .accept = decision { reduce(&state, action) }
        return decision
    }
}

/// The decision of a reducer on an action, before anything changes.
public enum Decision: Sendable, Hashable {
    /// The action applies. `reduce` follows, and the action makes a revision.
    case accept
    /// The action has nothing to do now. It makes no revision, unless another part accepts it.
    ///
    /// A part that ignores an action is not reduced, whatever the other parts decide, and the middleware that it has by
    /// ``Reducer/with(_:)`` does not see the commit.
    case ignore
    /// Other parts decide on the action. If one of them accepts it, this part is reduced too; otherwise nothing happens here.
    ///
    /// A reducer that only follows, for all of its actions, is an ``OnAction``.
    case follow
    /// The action must not happen now, whatever other parts decide. Nothing changes, and the sender gets the reason.
    case reject(Rejection)

    /// The common decision of two parts. `other` is not evaluated if this is a rejection.
    @inlinable @inline(__always)
    package func joined(with other: @autoclosure () -> Decision) -> Decision {
        switch self {
        case .reject: return self
        case .ignore: return other()
        case .follow:
            let other = other()
            if case .ignore = other { return self }
            return other
        case .accept:
            let other = other()
            if case .reject = other { return other }
            return .accept
        }
    }
}

/// A reducer with its type erased, as stores and compositions call it.
///
/// It exists for speed, and so do the `@inlinable` and `@inline(__always)` attributes of this module. A dispatch takes less than
/// 100 nanoseconds and allocates nothing. Two things make this possible. The four functions below are created where the
/// concrete type of the reducer is known, so the compiler specializes them; a call through `any Reducer` would not be
/// specialized. And every step between ``Store/dispatch(_:)`` and these functions is inlinable, so it is specialized in the
/// program that uses the store, and state and action are passed by reference all the way. `Benchmarks/run --only stores`
/// measures both.
public final class AnyReducer<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline package typealias Concerns = @Sendable (Action) -> Bool
    @usableFromInline package typealias Decide = @Sendable (Action, State, inout Abstentions) -> Decision
    @usableFromInline package typealias Reduce = @Sendable (Action, inout State, Abstentions) -> Void
    @usableFromInline package typealias Apply = @Sendable (Action, inout State, inout Abstentions) -> Decision

    @usableFromInline let concernsFunction: Concerns
    @usableFromInline let decideFunction: Decide
    @usableFromInline let reduceFunction: Reduce
    @usableFromInline let applyFunction: Apply
    /// The middleware that goes with it: see ``Reducer/with(_:)``.
    @usableFromInline package let middleware: [AnyMiddleware<State, Action>]
    /// Whether it accepts no action, whatever the state: it only follows the actions of others.
    @usableFromInline package let onlyFollows: Bool

    @inlinable
    package init(
        concerns: @escaping Concerns = { _ in true }, decide: @escaping Decide, reduce: @escaping Reduce,
        apply: @escaping Apply,
        middleware: [AnyMiddleware<State, Action>] = [], onlyFollows: Bool = false
    ) {
        self.middleware = middleware
        self.onlyFollows = onlyFollows
        concernsFunction = concerns
        decideFunction = decide
        reduceFunction = reduce
        applyFunction = apply
    }

    /// Erases the type of `reducer`.
    @inlinable
    package convenience init(_ reducer: some Reducer<State, Action>) { self.init(reducer, middleware: []) }

    @inlinable
    package convenience init(
        _ reducer: some Reducer<State, Action>, middleware: [AnyMiddleware<State, Action>], onlyFollows: Bool = false
    ) {
        self.init(
            concerns: { reducer.concerns(action: $0) },
            decide: { action, state, _ in reducer.decide(action, in: state) },
            reduce: { action, state, _ in reducer.reduce(&state, action) },
            apply: { action, state, _ in reducer.apply(action, to: &state) }, middleware: middleware,
            onlyFollows: onlyFollows)
    }

    /// A reducer that decides, and then reduces an action that it accepts.
    @inlinable
    package convenience init(
        decide: @escaping Decide, reduce: @escaping Reduce, middleware: [AnyMiddleware<State, Action>],
        onlyFollows: Bool
    ) {
        self.init(
            decide: decide, reduce: reduce,
            apply: { action, state, abstentions in
                let decision = decide(action, state, &abstentions)
                if case .accept = decision { reduce(action, &state, abstentions) }
                return decision
            }, middleware: middleware, onlyFollows: onlyFollows)
    }

    /// A copy of `reducer` with other middleware.
    @inlinable
    package convenience init(_ reducer: AnyReducer, _ middleware: [AnyMiddleware<State, Action>]) {
        self.init(
            concerns: reducer.concernsFunction, decide: reducer.decideFunction, reduce: reducer.reduceFunction,
            apply: reducer.applyFunction, middleware: middleware, onlyFollows: reducer.onlyFollows)
    }

    @inlinable
    public func concerns(_ action: Action) -> Bool { concernsFunction(action) }

    @inlinable
    public func decide(_ action: Action, in state: State) -> Decision {
        var abstentions = Abstentions()
        return decideFunction(action, state, &abstentions)
    }

    /// Reduces by the parts that do not ignore the action. They decide again, because the caller has not kept their decisions.
    @inlinable
    public func reduce(_ state: inout State, _ action: Action) {
        var abstentions = Abstentions()
        if case .ignore = decideFunction(action, state, &abstentions) { return }
        reduceFunction(action, &state, abstentions)
    }

    @inlinable
    public func apply(_ action: Action, to state: inout State) -> Decision {
        var abstentions = Abstentions()
        return applyFunction(action, &state, &abstentions)
    }

    /// - Parameter abstentions: empty before; then the parts inside that ignore the action.
    @inlinable
    package func decide(_ action: Action, in state: State, _ abstentions: inout Abstentions) -> Decision {
        decideFunction(action, state, &abstentions)
    }

    /// - Parameter abstentions: the parts that ignored the action when it was decided.
    @inlinable
    package func reduce(_ state: inout State, _ action: Action, _ abstentions: Abstentions) {
        reduceFunction(action, &state, abstentions)
    }

    /// - Parameter abstentions: empty before; then the parts inside that ignored the action.
    @inlinable
    package func apply(_ action: Action, to state: inout State, _ abstentions: inout Abstentions) -> Decision {
        applyFunction(action, &state, &abstentions)
    }

    @inlinable public var prepared: AnyReducer { self }
}
