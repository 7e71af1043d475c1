/// A reducer that is written as a list of others, each asked and run in its order.
///
///     struct ShopReducer: ComposedReducer {
///         var body: some Reducer<ShopState, ShopAction> {
///             Slice(\.cart, .cart, CartReducer())
///             Slice(\.draft, .draft, IfPresent(DraftReducer()))
///             Slice(\.tasks, .task, ForEach(TaskReducer()))
///             Watch { state, action in
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
    public var prepared: PreparedReducer<Body.State, Body.Action> { body.prepared }

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
