import JSON

/// How the states of a kind are kept and read back; see ``Restorable``.
public struct Restoration<State: Sendable>: Sendable {
    let restore: @Sendable (KeptValue) throws(RestorationFailure) -> State
    private let visitHidden: @Sendable (borrowing State, inout HiddenMembers) -> Void

    /// Writes all that is hidden in `state`, as one object, and the schema where that is not the first.
    func visit(_ state: borrowing State, schema: Int, _ members: inout HiddenMembers) {
        members.open()
        if schema > 1 { members.member("$schema", schema) }
        visitHidden(state, &members)
        members.close()
    }
}

extension Restoration where State: Restorable {
    /// What the state says of itself.
    public init() {
        restore = { kept throws(RestorationFailure) in try State(restoring: kept) }
        visitHidden = { state, members in state.visitHidden(&members) }
    }
}

extension HostedState {
    public static var restoration: Restoration<Self>? { nil }
}

extension HostedState where Self: Restorable {
    public static var restoration: Restoration<Self>? { Restoration() }
}
