/// Composes reducers as a list of statements.
///
///     Compose {
///         Scope(\.counter, .counter, CounterReducer())
///         Scope(\.user, .user, UserReducer())
///     }
///
/// All parts decide before any of them reduces, so a rejection by any part at any depth leaves no trace. A part that an action
/// does not concern is not called, and one that ignores it is not reduced.
public struct Compose<State: Sendable, Action: Sendable>: ComposedReducer {
    @usableFromInline let parts: [AnyReducer<State, Action>]
    public let body: AnyReducer<State, Action>

    @inlinable
    init(parts: [AnyReducer<State, Action>]) {
        self.parts = parts
        let list = ReducerList(parts)
        body = AnyReducer(
            concerns: { list.concerns($0) }, decide: { list.decide($0, in: $1, &$2) },
            reduce: { list.reduce(&$1, $0, $2) }, apply: { list.apply($0, to: &$1, &$2) },
            middleware: parts.enumerated().flatMap { place, part in part.middleware.map { $0.inPart(place) } },
            onlyFollows: parts.allSatisfy(\.onlyFollows))
    }

    /// The reducers of `body`, in its order.
    @inlinable
    public init(@ReducerBuilder<State, Action> _ body: () -> Compose) { self = body() }
}

/// Combines reducers: all decide, then those reduce that do not ignore the action, in the given order.
@inlinable
public func combine<State, Action>(_ reducers: any Reducer<State, Action>...) -> Compose<State, Action> {
    Compose(parts: reducers.map { $0.prepared })
}

/// A reducer written as a list of others. All decide, then those reduce that do not ignore the action, in the order of the list.
///
///     struct ShopReducer: ComposedReducer {
///         var body: some Reducer<ShopState, ShopAction> {
///             Scope(\.cart, .cart, CartReducer())
///             Scope(\.draft, .draft, IfPresent(DraftReducer()))
///             Scope(\.tasks, .task, ForEach(TaskReducer()))
///             OnAction { state, action in
///                 if case .cart(.placeOrder) = action { state.orders += 1 }
///             }
///         }
///     }
///
/// All parts decide before any of them reduces, so a rejection by any part at any depth leaves no trace.
///
/// A store builds the list once. A direct call of a method of the reducer, as in a test, builds it with each call.
public protocol ComposedReducer<State, Action>: Reducer {
    /// The type of the list. The compiler infers it.
    associatedtype Body: Reducer<State, Action>

    /// The parts, in their order.
    @ReducerBuilder<State, Action> var body: Body { get }
}

extension ComposedReducer {
    /// The body with its type erased.
    @inlinable
    public var prepared: AnyReducer<Body.State, Body.Action> { body.prepared }

    /// Whether the action concerns any part of the body.
    @inlinable
    public func concerns(_ action: Body.Action) -> Bool { body.concerns(action) }

    /// The decision of all parts of the body.
    @inlinable
    public func decide(_ action: Body.Action, in state: Body.State) -> Decision { body.decide(action, in: state) }

    /// Reduces by all parts of the body.
    @inlinable
    public func reduce(_ state: inout Body.State, _ action: Body.Action) { body.reduce(&state, action) }

    /// Reduces by all parts of the body if their decision is to accept.
    @inlinable
    public func apply(_ action: Body.Action, to state: inout Body.State) -> Decision {
        body.apply(action, to: &state)
    }
}

/// The parts of a composition.
@usableFromInline
struct ReducerList<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let list: UnretainedArray<AnyReducer<State, Action>>

    @inlinable
    init(_ parts: [AnyReducer<State, Action>]) { list = UnretainedArray(parts) }

    @inlinable
    func concerns(_ action: Action) -> Bool {
        for part in list.elements where part._withUnsafeGuaranteedRef({ $0.concerns(action) }) { return true }
        return false
    }

    @inlinable
    func decide(_ action: Action, in state: State, _ abstentions: inout Abstentions) -> Decision {
        var decision = Decision.ignore
        var found = Abstentions()
        for (place, part) in list.elements.enumerated() {
            var inside = Abstentions()
            let next: Decision? = part._withUnsafeGuaranteedRef { part in
                part.concerns(action) ? part.decide(action, in: state, &inside) : nil
            }
            guard let next else { continue }
            if case .reject = next { return next }
            if case .ignore = next { found.insert(place) }
            if !inside.isEmpty { found.insert(inside, in: place) }
            decision = decision.joined(with: next)
        }
        abstentions = found
        return decision
    }

    @inlinable
    func reduce(_ state: inout State, _ action: Action, _ abstentions: Abstentions) {
        for (place, part) in list.elements.enumerated() {
            if abstentions.contain(place) { continue }
            part._withUnsafeGuaranteedRef {
                if $0.concerns(action) { $0.reduce(&state, action, abstentions.inside(place)) }
            }
        }
    }

    @inlinable
    func apply(_ action: Action, to state: inout State, _ abstentions: inout Abstentions) -> Decision {
        var only: (place: Int, part: Unmanaged<AnyReducer<State, Action>>)?
        for (place, part) in list.elements.enumerated() where part._withUnsafeGuaranteedRef({ $0.concerns(action) }) {
            guard only == nil else { return applyAll(action, to: &state, &abstentions) }
            only = (place, part)
        }
        // Most actions concern one part. It may then decide and reduce in one call.
        guard let only else { return .ignore }
        let decision = only.part._withUnsafeGuaranteedRef { $0.apply(action, to: &state, &abstentions) }
        if !abstentions.isEmpty {
            let inside = abstentions
            abstentions = Abstentions()
            abstentions.insert(inside, in: only.place)
        }
        return decision
    }

    @inlinable
    func applyAll(_ action: Action, to state: inout State, _ abstentions: inout Abstentions) -> Decision {
        let decision = decide(action, in: state, &abstentions)
        if case .accept = decision { reduce(&state, action, abstentions) }
        return decision
    }
}

/// Builds one reducer from a list of statements.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable> {
    /// The common type of all statements.
    public typealias Parts = Compose<State, Action>

    /// One reducer. Its type is erased here, where it is known.
    @inlinable
    public static func buildExpression<Part: Reducer<State, Action>>(_ part: Part) -> Parts {
        Parts(parts: [part.prepared])
    }

    /// A nested list.
    @inlinable
    public static func buildExpression(_ parts: Parts) -> Parts { parts }

    /// The statements in order.
    @inlinable
    public static func buildBlock(_ parts: Parts...) -> Parts { buildArray(parts) }

    /// `if` without `else`.
    @inlinable
    public static func buildOptional(_ parts: Parts?) -> Parts { parts ?? Parts(parts: []) }

    /// `if` and `switch`.
    @inlinable
    public static func buildEither(first: Parts) -> Parts { first }

    /// `else`.
    @inlinable
    public static func buildEither(second: Parts) -> Parts { second }

    /// `for`: the statements of all iterations in order.
    @inlinable
    public static func buildArray(_ parts: [Parts]) -> Parts { Parts(parts: parts.flatMap(\.parts)) }
}
