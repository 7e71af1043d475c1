/// One of two reducers, as a condition in a ``ReducerBuilder`` chose.
public enum Either<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
    /// The condition holds.
    case first(First)
    /// It does not.
    case second(Second)

    @inlinable @inline(__always)
    public func decide(_ action: First.Action, in state: First.State) -> Decision {
        switch self {
        case .first(let part): part.decide(action, in: state)
        case .second(let part): part.decide(action, in: state)
        }
    }

    @inlinable @inline(__always)
    public func reduce(_ state: inout First.State, _ action: First.Action) {
        switch self {
        case .first(let part): part.reduce(&state, action)
        case .second(let part): part.reduce(&state, action)
        }
    }

    @inlinable @inline(__always)
    public func apply(_ action: First.Action, to state: inout First.State) -> Decision {
        switch self {
        case .first(let part): part.apply(action, to: &state)
        case .second(let part): part.apply(action, to: &state)
        }
    }
}
