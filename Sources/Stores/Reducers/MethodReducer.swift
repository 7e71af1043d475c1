/// Lets actions call the methods of a value that keeps its own rules, so that it can be a store's state.
///
/// A method works on a copy of the value, so the collections that it changes copy themselves.
public struct MethodReducer<State: Sendable, Action: Sendable>: Reducer {
    /// Calls the method that `action` stands for; false where it had nothing to do.
    public typealias Call = @Sendable (inout State, Action) throws(Rejection) -> Bool

    private let invariants: [Invariant<State>]
    private let call: Call

    /// A reducer that calls methods.
    ///
    /// - Parameters:
    ///   - invariants: what must hold after each method; one that breaks them is rejected as a fault.
    ///   - call: calls the value's method that an action stands for.
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
        attempt(on: &state, keeping: invariants) { next in
            do throws(Rejection) {
                return try call(&next, action) ? .accept : .ignore
            } catch {
                return .reject(error)
            }
        }
    }
}
