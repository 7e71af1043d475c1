/// Two reducers on the same state, the first before the second.
public struct Combined<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
    @usableFromInline let first: First
    @usableFromInline let second: Second

    /// Asks and runs `first` before `second`.
    @inlinable
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    @inlinable
    public func decide(_ action: First.Action, in state: First.State) -> Decision {
        first.decide(action, in: state).joined(with: second.decide(action, in: state))
    }

    @inlinable
    public func reduce(_ state: inout First.State, _ action: First.Action) {
        first.reduce(&state, action)
        second.reduce(&state, action)
    }
}

/// Any number of reducers on the same state, in order.
public struct CombinedList<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let reducers: [any Reducer<State, Action>]

    @inlinable
    init(_ reducers: [any Reducer<State, Action>]) { self.reducers = reducers }

    @inlinable
    public func decide(_ action: Action, in state: State) -> Decision {
        var said = Decision.ignore
        for reducer in reducers {
            said = said.joined(with: reducer.decide(action, in: state))
            if case .reject = said { break }
        }
        return said
    }

    @inlinable
    public func reduce(_ state: inout State, _ action: Action) {
        for reducer in reducers { reducer.reduce(&state, action) }
    }
}

/// Combines reducers variadically: each is asked, then each runs, in the order given.
@inlinable
public func combine<State, Action>(_ reducers: any Reducer<State, Action>...) -> CombinedList<State, Action> {
    CombinedList(reducers)
}

/// Composes reducers as a list of statements; the types are known to the compiler, so nothing is looked up at run time.
///
///     Compose {
///         Slice(\.counter, .counter, CounterReducer())
///         Slice(\.user, .user, UserReducer())
///     }
public struct Compose<Body: Reducer>: Reducer {
    @usableFromInline let body: Body

    /// The reducers that `body` lists, in its order.
    @inlinable
    public init(@ReducerBuilder _ body: () -> Body) { self.body = body() }

    @inlinable
    public func decide(_ action: Body.Action, in state: Body.State) -> Decision { body.decide(action, in: state) }
    @inlinable
    public func reduce(_ state: inout Body.State, _ action: Body.Action) { body.reduce(&state, action) }
}

/// Folds a list of reducers into one, two at a time.
@resultBuilder
public enum ReducerBuilder {
    @inlinable
    public static func buildPartialBlock<First: Reducer>(first: First) -> First { first }

    @inlinable
    public static func buildPartialBlock<First: Reducer, Next: Reducer>(
        accumulated: First, next: Next
    ) -> Combined<First, Next> where First.State == Next.State, First.Action == Next.Action {
        Combined(accumulated, next)
    }
}
