/// What holds of a value after every change.
public struct Invariant<Value: Sendable>: Sendable {
    /// The reason with which a change that breaks it is rejected, as a fault.
    public let name: String
    /// Whether the invariant is kept.
    public let holds: @Sendable (Value) -> Bool

    /// An invariant under a name.
    ///
    /// - Parameters:
    ///   - name: the reason with which a change that breaks it is rejected.
    ///   - holds: whether the invariant is kept; it only reads.
    @inlinable
    public init(_ name: String, holds: @escaping @Sendable (Value) -> Bool) {
        self.name = name
        self.holds = holds
    }
}

/// Changes a copy of `state`, which takes the place of `state` only where the change is accepted and breaks nothing.
@inlinable
func attempt<State>(
    on state: inout State, keeping invariants: [Invariant<State>], _ change: (inout State) -> Decision
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

/// Checks, after each change of a reducer, that what must hold of its state does: in every build, also in a release.
///
///     Invariants([Invariant("negative-balance") { $0.balance >= 0 }], of: AccountReducer())
///
/// A change that breaks one is rejected as a fault (``Rejection/isFault``) and leaves no trace; of several that are
/// broken, the first is named. What the reducer itself ignores or rejects is not checked.
///
/// The state that is checked is the one that this reducer leaves: a part beside it that changes the same slice is not
/// seen. Wrap the whole composition that changes what the invariants speak of.
///
/// A change is tried on a copy of the state, so the collections that it touches copy themselves: wrap the slice that
/// needs it, and not a whole state with large tables.
public struct Invariants<Part: Reducer>: Reducer {
    @usableFromInline let invariants: [Invariant<Part.State>]
    @usableFromInline let part: AnyReducer<Part.State, Part.Action>

    /// Checks the changes of `part`.
    ///
    /// - Parameters:
    ///   - invariants: what must hold, checked in this order.
    ///   - part: the reducer that is checked.
    @inlinable
    public init(_ invariants: [Invariant<Part.State>], of part: Part) {
        self.invariants = invariants
        self.part = part.prepared
    }

    @inlinable
    public func decide(_ action: Part.Action, in state: Part.State) -> Decision {
        var trial = state
        return apply(action, to: &trial)
    }

    @inlinable
    public func reduce(_ state: inout Part.State, _ action: Part.Action) { part.reduce(&state, action) }

    @inlinable
    public func apply(_ action: Part.Action, to state: inout Part.State) -> Decision {
        attempt(on: &state, keeping: invariants) { part.apply(action, to: &$0) }
    }
}
