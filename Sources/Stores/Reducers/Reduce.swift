/// A reducer made of closures.
///
///     let store = Store(0, reducer: Reduce<Int, CounterAction> { count, action in
///         switch action {
///         case .increment: count += 1
///         case .reset: count = 0
///         }
///     })
///
/// Without `decide:` it accepts every action. In a list of reducers, a part that only follows the actions of others is an
/// ``OnAction``.
public struct Reduce<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let decideFunction: @Sendable (Action, State) -> Decision
    @usableFromInline let reduceFunction: @Sendable (inout State, Action) -> Void

    /// A reducer that accepts every action.
    @inlinable @inline(__always)
    public init(_ reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void) {
        self.init(decide: { _, _ in .accept }, reduce: reduce)
    }

    /// A reducer that decides by one closure and changes the state by another.
    ///
    /// - Parameters:
    ///   - decide: see ``Reducer/decide(_:in:)``.
    ///   - reduce: see ``Reducer/reduce(_:_:)``.
    @inlinable @inline(__always)
    public init(
        decide: @escaping @Sendable (_ action: Action, _ state: State) -> Decision,
        reduce: @escaping @Sendable (_ state: inout State, _ action: Action) -> Void
    ) {
        decideFunction = decide
        reduceFunction = reduce
    }

    @inlinable @inline(__always)
    public func decide(_ action: Action, in state: State) -> Decision { decideFunction(action, state) }

    @inlinable @inline(__always)
    public func reduce(_ state: inout State, _ action: Action) { reduceFunction(&state, action) }
}
