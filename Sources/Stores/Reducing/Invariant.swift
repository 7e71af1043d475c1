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
