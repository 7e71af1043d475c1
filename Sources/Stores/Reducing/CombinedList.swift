/// Any number of reducers on the same state, in order, whatever their types.
///
/// Each is called by way of its protocol, some nanoseconds a call: see ``ComposedReducer`` for what costs less.
public struct CombinedList<State: Sendable, Action: Sendable>: Reducer {
    @usableFromInline let reducers: [any Reducer<State, Action>]

    /// Asks and runs the reducers in the order given.
    @inlinable
    public init(_ reducers: [any Reducer<State, Action>]) { self.reducers = reducers }

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
