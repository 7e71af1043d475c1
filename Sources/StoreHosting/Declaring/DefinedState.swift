import JSON
import Stores

/// The state of a ``StoreDefinition`` with its members, as a host encodes it.
struct DefinedState<Value: Sendable>: DiffableState, ObjectState {
    var value: Value
    let members: MemberList<Value>

    func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) { members.visit(value, &visitor) }

    static func persistence(_ members: MemberList<Value>, from initial: Value) -> StatePersistence<DefinedState> {
        StatePersistence(
            restore: { persisted throws(RestorationError) in
                var state = DefinedState(value: initial, members: members)
                let isComplete = try members.restore(persisted, into: &state.value)
                return (state, isComplete)
            },
            encodePrivate: { state, encoder in state.members.encodePrivate(state.value, into: &encoder) })
    }
}

/// The members of a state, in the order of its JSON.
final class MemberList<State: Sendable>: Sendable {
    let members: [any StateMember<State>]
    private let privateMembers: [any StateMember<State>]

    init(_ members: [any StateMember<State>]) {
        self.members = members
        privateMembers = members.filter(\.isPrivate)
    }

    var hasPrivateMembers: Bool { !privateMembers.isEmpty }

    /// The schema of what clients see.
    var schema: JSONSchema {
        .object(members.compactMap { member in member.schema.map { .required(member.name.description, $0) } })
    }

    func visit(_ state: State, _ visitor: inout some MemberVisitor & ~Copyable) {
        for member in members { member.visit(state, &visitor) }
    }

    func encodePrivate(_ state: State, into encoder: inout PrivateStateEncoder) {
        for member in privateMembers { member.encodePrivate(state, into: &encoder) }
    }

    /// - Returns: false if a member is missing, which then has the value that it had in `state`.
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        var isComplete = true
        for member in members where try !member.restore(persisted, into: &state) { isComplete = false }
        return isComplete
    }
}
