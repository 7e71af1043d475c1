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
    @usableFromInline let part: PreparedReducer<Part.State, Part.Action>

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
