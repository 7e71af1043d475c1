/// Composes reducers as a list of statements where one is wanted, as in a ``Slice`` or an ``Undoable``.
///
///     Compose {
///         Slice(\.counter, .counter, CounterReducer())
///         Slice(\.user, .user, UserReducer())
///     }
///
/// All parts decide before any of them reduces: one rejection, however deep and however late, leaves no trace.
public struct Compose<Body: Reducer>: Reducer {
    @usableFromInline let body: Body

    /// The reducers that `body` lists, in its order.
    @inlinable @inline(__always)
    public init<State, Action>(@ReducerBuilder<State, Action> _ body: () -> Body)
    where Body.State == State, Body.Action == Action { self.body = body() }

    @inlinable @inline(__always)
    public func decide(_ action: Body.Action, in state: Body.State) -> Decision { body.decide(action, in: state) }

    @inlinable @inline(__always)
    public func reduce(_ state: inout Body.State, _ action: Body.Action) { body.reduce(&state, action) }

    @inlinable @inline(__always)
    public func apply(_ action: Body.Action, to state: inout Body.State) -> Decision {
        body.apply(action, to: &state)
    }
}
