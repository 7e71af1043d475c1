/// A condition that a value must fulfil after every change.
public struct Invariant<Value: Sendable>: Sendable {
    /// The reason of the rejection when a change breaks the invariant.
    @usableFromInline
    package let name: String
    /// Whether a value fulfils the invariant.
    @usableFromInline
    package let holds: @Sendable (Value) -> Bool

    /// An invariant with a name.
    ///
    /// - Parameters:
    ///   - name: the reason of the rejection when a change breaks the invariant.
    ///   - holds: whether a value fulfils the invariant. It must only read.
    @inlinable
    public init(_ name: String, holds: @escaping @Sendable (Value) -> Bool) {
        self.name = name
        self.holds = holds
    }
}

/// Changes a copy of `state` and assigns it to `state` if the change is accepted and breaks no invariant.
@inlinable
func applyChecked<State>(
    to state: inout State, invariants: [Invariant<State>], _ change: (inout State) -> Decision
) -> Decision {
    var next = state
    let decision = change(&next)
    guard case .accept = decision else { return decision }
    if let broken = invariants.first(where: { !$0.holds(next) }) {
        return .reject(Rejection(broken.name, isFault: true))
    }
    state = next
    return .accept
}

/// Checks invariants of the state after each change of a reducer, in debug and in release builds.
///
///     Invariants([Invariant("negative-balance") { $0.balance >= 0 }], of: AccountReducer())
///
/// A change that breaks an invariant is rejected as a fault (``Rejection/isFault``) and leaves no trace. The rejection names
/// the first broken invariant. Actions that the reducer itself ignores or rejects are not checked.
///
/// The check sees the state as this reducer leaves it, and not the changes that another part makes to the same slice. Wrap the
/// whole composition that changes the checked values.
///
/// A change runs on a copy of the state, so the collections that it touches are copied. Wrap the slice that needs the check, and
/// not a whole state with large tables.
public struct Invariants<Part: Reducer>: ComposedReducer {
    public let body: AnyReducer<Part.State, Part.Action>

    /// Checks the changes of `part`.
    ///
    /// - Parameters:
    ///   - invariants: checked in this order.
    ///   - part: the reducer whose changes are checked.
    @inlinable
    public init(_ invariants: [Invariant<Part.State>], of part: Part) {
        let part = part.prepared
        let apply: AnyReducer<Part.State, Part.Action>.Apply = { action, state, abstentions in
            applyChecked(to: &state, invariants: invariants) { part.apply(action, to: &$0, &abstentions) }
        }
        body = AnyReducer(
            decide: { action, state, abstentions in
                var trial = state
                return apply(action, &trial, &abstentions)
            },
            reduce: { action, state, abstentions in part.reduce(&state, action, abstentions) },
            apply: apply, middleware: part.middleware, onlyFollows: part.onlyFollows)
    }
}

/// A reducer for a state that has methods in place of rules: each action calls one.
///
/// A method runs on a copy of the value, so the collections that it changes are copied.
package struct MethodReducer<State: Sendable, Action: Sendable>: Reducer {
    /// Calls the method for an action. False if the method had nothing to do.
    package typealias Call = @Sendable (inout State, Action) throws(Rejection) -> Bool

    private let invariants: [Invariant<State>]
    private let call: Call

    /// A reducer that calls methods.
    ///
    /// - Parameters:
    ///   - invariants: checked after each method. A method that breaks one is rejected as a fault.
    ///   - call: calls the method for an action.
    package init(invariants: [Invariant<State>] = [], _ call: @escaping Call) {
        self.invariants = invariants
        self.call = call
    }

    package func decide(_ action: Action, in state: State) -> Decision {
        var trial = state
        return apply(action, to: &trial)
    }

    package func reduce(_ state: inout State, _ action: Action) { _ = apply(action, to: &state) }

    package func apply(_ action: Action, to state: inout State) -> Decision {
        applyChecked(to: &state, invariants: invariants) { next in
            do throws(Rejection) {
                return try call(&next, action) ? .accept : .ignore
            } catch {
                return .reject(error)
            }
        }
    }
}
