/// Two reducers on the same state, the first before the second.
public final class Combined<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
    @usableFromInline let first: First
    @usableFromInline let second: Second

    /// Asks and runs `first` before `second`.
    @inlinable
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable @inline(__always)
    public func decide(_ action: First.Action, in state: First.State) -> Decision {
        first.decide(action, in: state).joined(with: second.decide(action, in: state))
    }

    @inlinable @inline(__always)
    public func reduce(_ state: inout First.State, _ action: First.Action) {
        first.reduce(&state, action)
        second.reduce(&state, action)
    }

    @inlinable @inline(__always)
    public func concerns(_ action: First.Action) -> Bool { second.concerns(action) || first.concerns(action) }

    @inlinable @inline(__always)
    public func apply(_ action: First.Action, to state: inout First.State) -> Decision {
        // Most actions concern one part, which then finds both steps by itself.
        if !second.concerns(action) { return first.apply(action, to: &state) }
        if !first.concerns(action) { return second.apply(action, to: &state) }
        let decision = decide(action, in: state)
        if case .accept = decision { reduce(&state, action) }
        return decision
    }
}
