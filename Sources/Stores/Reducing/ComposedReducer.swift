/// A reducer that is written as a list of others, each asked and run in its order.
///
///     struct ShopReducer: ComposedReducer {
///         let body: some Reducer<ShopState, ShopAction> = Compose<ShopState, ShopAction, _> {
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
/// A `body` may also be computed, `var body: some Reducer<ShopState, ShopAction> { … }`, as a list without ``Compose``. It is
/// then made anew for each action, which costs more than all else.
public protocol ComposedReducer<State, Action>: Reducer {
    /// The type of the list, found by the compiler.
    associatedtype Body: Reducer<State, Action>

    /// The parts, in their order.
    @ReducerBuilder<State, Action> var body: Body { get }
}

extension ComposedReducer {
    /// Whether it is the business of any part of the body.
    @inlinable @inline(__always)
    public func concerns(_ action: Body.Action) -> Bool {
        let body = body
        return body.concerns(action)
    }

    /// Asks every part of the body.
    @inlinable @inline(__always)
    public func decide(_ action: Body.Action, in state: Body.State) -> Decision {
        let body = body
        return body.decide(action, in: state)
    }

    /// Runs every part of the body.
    @inlinable @inline(__always)
    public func reduce(_ state: inout Body.State, _ action: Body.Action) {
        let body = body
        body.reduce(&state, action)
    }

    /// Asks every part of the body, then runs all of them where that is accepted.
    @inlinable @inline(__always)
    public func apply(_ action: Body.Action, to state: inout Body.State) -> Decision {
        let body = body
        return body.apply(action, to: &state)
    }
}
