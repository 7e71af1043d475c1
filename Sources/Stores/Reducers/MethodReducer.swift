/// A reducer for a state that has methods in place of rules: each action calls one.
///
/// A method runs on a copy of the value, so the collections that it changes are copied.
public struct MethodReducer<State: Sendable, Action: Sendable>: Reducer {
    /// Calls the method for an action. False if the method had nothing to do.
    public typealias Call = @Sendable (inout State, Action) throws(Rejection) -> Bool

    private let invariants: [Invariant<State>]
    private let call: Call

    /// A reducer that calls methods.
    ///
    /// - Parameters:
    ///   - invariants: checked after each method. A method that breaks one is rejected as a fault.
    ///   - call: calls the method for an action.
    public init(invariants: [Invariant<State>] = [], _ call: @escaping Call) {
        self.invariants = invariants
        self.call = call
    }

    public func decide(_ action: Action, in state: State) -> Decision {
        var trial = state
        return apply(action, to: &trial)
    }

    public func reduce(_ state: inout State, _ action: Action) { _ = apply(action, to: &state) }

    public func apply(_ action: Action, to state: inout State) -> Decision {
        applyChecked(to: &state, invariants: invariants) { next in
            do throws(Rejection) {
                return try call(&next, action) ? .accept : .ignore
            } catch {
                return .reject(error)
            }
        }
    }
}
