/// Composes reducers as a list of statements.
///
///     Compose {
///         Scope(\.counter, .counter, CounterReducer())
///         Scope(\.user, .user, UserReducer())
///     }
///
/// All parts decide before any of them reduces: one rejection, however deep and however late, leaves no trace. A part that an
/// action does not concern is neither asked nor run, and costs little more than finding that out.
public struct Compose<State: Sendable, Action: Sendable>: ComposedReducer {
    @usableFromInline let parts: [AnyReducer<State, Action>]
    public let body: AnyReducer<State, Action>

    @inlinable
    init(parts: [AnyReducer<State, Action>]) {
        self.parts = parts
        let list = ReducerList(parts)
        body = AnyReducer(
            ask: { list.concerns($0) }, read: { list.decide($0, in: $1) }, change: { list.reduce(&$1, $0) },
            attempt: { list.apply($0, to: &$1) })
    }

    /// The reducers that `body` lists, in its order.
    @inlinable
    public init(@ReducerBuilder<State, Action> _ body: () -> Compose) { self = body() }
}

/// Combines reducers variadically: each is asked, then each runs, in the order given.
@inlinable
public func combine<State, Action>(_ reducers: any Reducer<State, Action>...) -> Compose<State, Action> {
    Compose(parts: reducers.map { $0.prepared })
}

/// A reducer that is written as a list of others, each asked and run in its order.
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
/// All parts decide before any of them reduces: one rejection, however deep and however late, leaves no trace.
///
/// A store makes the list once, and so does whatever the reducer is composed into. Who calls a method of the reducer itself,
/// as a test may, makes it anew with each call.
public protocol ComposedReducer<State, Action>: Reducer {
    /// The type of the list, found by the compiler.
    associatedtype Body: Reducer<State, Action>

    /// The parts, in their order.
    @ReducerBuilder<State, Action> var body: Body { get }
}

extension ComposedReducer {
    /// The body, made once and ready to be called.
    @inlinable
    public var prepared: AnyReducer<Body.State, Body.Action> { body.prepared }

    /// Whether it is the business of any part of the body.
    @inlinable
    public func concerns(_ action: Body.Action) -> Bool { body.concerns(action) }

    /// Asks every part of the body.
    @inlinable
    public func decide(_ action: Body.Action, in state: Body.State) -> Decision { body.decide(action, in: state) }

    /// Runs every part of the body.
    @inlinable
    public func reduce(_ state: inout Body.State, _ action: Body.Action) { body.reduce(&state, action) }

    /// Asks every part of the body, then runs all of them where that is accepted.
    @inlinable
    public func apply(_ action: Body.Action, to state: inout Body.State) -> Decision {
        body.apply(action, to: &state)
    }
}

/// The parts of a composition, called in order.
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
    func decide(_ action: Action, in state: State) -> Decision {
        var said = Decision.ignore
        for part in list.elements {
            let more = part._withUnsafeGuaranteedRef { part in
                part.concerns(action) ? part.decide(action, in: state) : .ignore
            }
            said = said.joined(with: more)
            if case .reject = said { break }
        }
        return said
    }

    @inlinable
    func reduce(_ state: inout State, _ action: Action) {
        for part in list.elements {
            part._withUnsafeGuaranteedRef { if $0.concerns(action) { $0.reduce(&state, action) } }
        }
    }

    @inlinable
    func apply(_ action: Action, to state: inout State) -> Decision {
        var only: Unmanaged<AnyReducer<State, Action>>?
        for part in list.elements where part._withUnsafeGuaranteedRef({ $0.concerns(action) }) {
            guard only == nil else { return applyAll(action, to: &state) }
            only = part
        }
        // Most actions concern one part, which then finds both steps by itself.
        guard let only else { return .ignore }
        return only._withUnsafeGuaranteedRef { $0.apply(action, to: &state) }
    }

    @inlinable
    func applyAll(_ action: Action, to state: inout State) -> Decision {
        let decision = decide(action, in: state)
        if case .accept = decision { reduce(&state, action) }
        return decision
    }
}

/// Makes one reducer of a list of statements.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable> {
    /// A statement of many: what they have in common.
    public typealias Parts = Compose<State, Action>

    /// One reducer, prepared here, where its type is known.
    @inlinable
    public static func buildExpression<Part: Reducer<State, Action>>(_ part: Part) -> Parts {
        Parts(parts: [part.prepared])
    }

    /// A list within the list.
    @inlinable
    public static func buildExpression(_ parts: Parts) -> Parts { parts }

    /// The statements in their order.
    @inlinable
    public static func buildBlock(_ parts: Parts...) -> Parts { buildArray(parts) }

    /// `if` without `else`: where it does not hold, nothing is there.
    @inlinable
    public static func buildOptional(_ parts: Parts?) -> Parts { parts ?? Parts(parts: []) }

    /// `if` and `switch`.
    @inlinable
    public static func buildEither(first: Parts) -> Parts { first }

    /// `else`.
    @inlinable
    public static func buildEither(second: Parts) -> Parts { second }

    /// `for`: the statements of each turn, in their order.
    @inlinable
    public static func buildArray(_ parts: [Parts]) -> Parts { Parts(parts: parts.flatMap(\.parts)) }
}
