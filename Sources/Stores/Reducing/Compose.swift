/// Composes reducers as a list of statements where one is wanted, as in a ``Slice`` or an ``Undoable``.
///
///     Compose {
///         Slice(\.counter, .counter, CounterReducer())
///         Slice(\.user, .user, UserReducer())
///     }
///
/// All parts decide before any of them reduces: one rejection, however deep and however late, leaves no trace.
public struct Compose<State: Sendable, Action: Sendable, Body: Reducer<State, Action>>: Reducer {
    @usableFromInline let body: Body

    /// The reducers that `body` lists, in its order.
    @inlinable @inline(__always)
    public init(@ReducerBuilder<State, Action> _ body: () -> Body) { self.body = body() }

    @inlinable @inline(__always)
    public func concerns(_ action: Action) -> Bool { body.concerns(action) }

    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision { body.decide(action, in: state) }

    @inlinable @inline(__always)
    public func reduce(_ state: inout State, _ action: Action) { body.reduce(&state, action) }

    @inlinable @inline(__always)
    public func apply(_ action: Action, to state: inout State) -> Decision {
        body.apply(action, to: &state)
    }
}
