public import JSON
public import Stores

/// The state of a ``StoreDefinition`` with its members, as a host encodes it.
@usableFromInline
struct DefinedState<Value: Sendable>: DiffableState, ObjectState {
    @usableFromInline let members: MemberList<Value>
    @usableFromInline var value: Value

    @inlinable
    init(value: Value, members: MemberList<Value>) {
        self.value = value
        self.members = members
    }

    @usableFromInline
    func findChanges(_ differ: inout StateDiffer) { members.findChanges(value, &differ) }

    @usableFromInline
    func encode(into json: inout JSONWriter) { json.object { members.encode(value, &$0) } }

    /// For a pointer into the state and for its schema. The other visitors have functions of their own, which are specialized.
    @usableFromInline
    func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        for member in members.members { member.member.visit(value, &visitor) }
    }

    @usableFromInline
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
///
/// Its functions are made where the type of the state is known, so that the compiler specializes them.
@usableFromInline
final class MemberList<State: Sendable>: Sendable {
    @usableFromInline let findChanges: @Sendable (State, inout StateDiffer) -> Void
    @usableFromInline let encode: @Sendable (State, inout JSONWriter) -> Void
    let members: [AnyMember<State>]
    private let privateMembers: [AnyMember<State>]

    @inlinable
    convenience init(_ members: [AnyMember<State>]) {
        self.init(
            members,
            findChanges: { state, differ in for member in members { member.findChanges(state, &differ) } },
            encode: { state, json in for member in members { member.encode(state, &json) } })
    }

    @usableFromInline
    init(
        _ members: [AnyMember<State>], findChanges: @escaping @Sendable (State, inout StateDiffer) -> Void,
        encode: @escaping @Sendable (State, inout JSONWriter) -> Void
    ) {
        self.members = members
        self.findChanges = findChanges
        self.encode = encode
        privateMembers = members.filter { $0.member.isPrivate }
    }

    var hasPrivateMembers: Bool { !privateMembers.isEmpty }

    @usableFromInline
    func encodePrivate(_ state: State, into encoder: inout PrivateStateEncoder) {
        for member in privateMembers { member.encodePrivate(state, &encoder) }
    }

    /// - Returns: false if a member is missing, which then has the value that it had in `state`.
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        var isComplete = true
        for member in members where try !member.member.restore(persisted, into: &state) { isComplete = false }
        return isComplete
    }
}

/// How a host encodes and restores one member.
@usableFromInline
protocol StateMember<State>: Sendable {
    associatedtype State: Sendable

    var name: StaticString { get }
    var isPrivate: Bool { get }

    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable)

    func findChanges(_ state: State, _ differ: inout StateDiffer)

    func encode(_ state: State, into json: inout JSONWriter)

    func encodePrivate(_ state: State, into members: inout PrivateStateEncoder)

    /// Sets the member of `state` to its persisted value.
    ///
    /// - Returns: false if the persisted state has no such member.
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool
}

extension StateMember {
    @usableFromInline var isPrivate: Bool { false }

    @inlinable
    func findChanges(_ state: State, _ differ: inout StateDiffer) { visit(state, &differ) }

    @inlinable
    func encode(_ state: State, into json: inout JSONWriter) { visit(state, &json) }

    @inlinable
    func encodePrivate(_ state: State, into members: inout PrivateStateEncoder) {}
}

/// A member with functions that the compiler has specialized for its types.
@usableFromInline
struct AnyMember<State: Sendable>: Sendable {
    let member: any StateMember<State>
    @usableFromInline let findChanges: @Sendable (State, inout StateDiffer) -> Void
    @usableFromInline let encode: @Sendable (State, inout JSONWriter) -> Void
    let encodePrivate: @Sendable (State, inout PrivateStateEncoder) -> Void

    @inlinable
    init(_ member: some StateMember<State>) {
        self.init(
            member, findChanges: { member.findChanges($0, &$1) }, encode: { member.encode($0, into: &$1) },
            encodePrivate: { member.encodePrivate($0, into: &$1) })
    }

    @usableFromInline
    init(
        _ member: any StateMember<State>, findChanges: @escaping @Sendable (State, inout StateDiffer) -> Void,
        encode: @escaping @Sendable (State, inout JSONWriter) -> Void,
        encodePrivate: @escaping @Sendable (State, inout PrivateStateEncoder) -> Void
    ) {
        self.member = member
        self.findChanges = findChanges
        self.encode = encode
        self.encodePrivate = encodePrivate
    }
}

/// Reduces each action of a definition by the action's own rules.
@usableFromInline
struct DefinedReducer<State: Sendable>: Reducer {
    @usableFromInline let actions: DefinedActions

    @inlinable
    init(_ actions: DefinedActions) { self.actions = actions }

    @inlinable
    func decide(_ action: StoreAction<State>, in state: DefinedState<State>) -> Decision {
        actions.contain(action) ? action.decide(state.value) : actions.refuse(action)
    }

    @inlinable
    func reduce(_ state: inout DefinedState<State>, _ action: StoreAction<State>) { action.reduce(&state.value) }
}

/// The actions of a definition. A timer or a middleware can send others, which have no type and so no place in the action log.
@usableFromInline
struct DefinedActions: Sendable {
    // Searched in order, because few ids are found faster so than by their hashes.
    @usableFromInline let ids: [ObjectIdentifier]

    @inlinable
    init(_ ids: [ObjectIdentifier]) { self.ids = ids }

    @inlinable
    func contain<State>(_ action: StoreAction<State>) -> Bool { ids.contains(action.id) }

    @usableFromInline
    func refuse<State>(_ action: StoreAction<State>) -> Decision { .reject(.undeclaredAction(action.name)) }
}

/// Reduces each action of a definition by the action's own rules, in a store of the state alone.
struct ActionReducer<State: Sendable>: Reducer {
    let actions: DefinedActions

    func decide(_ action: StoreAction<State>, in state: State) -> Decision {
        actions.contain(action) ? action.decide(state) : actions.refuse(action)
    }

    func reduce(_ state: inout State, _ action: StoreAction<State>) { action.reduce(&state) }
}
