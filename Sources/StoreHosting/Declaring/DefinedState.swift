public import JSON
import Stores

/// The state of a ``StoreDefinition`` with its members, as a host encodes it.
@usableFromInline
struct DefinedState<Value: Sendable>: DiffableState, ObjectState {
    // The first property, so that it is where the state is: see `value(in:)`.
    @usableFromInline var value: Value
    @usableFromInline let members: MemberList<Value>

    @inlinable
    init(value: Value, members: MemberList<Value>) {
        self.value = value
        self.members = members
    }

    @usableFromInline
    func findChanges(_ differ: inout StateDiffer) {
        withUnsafePointer(to: value) { members.findChanges($0, &differ) }
    }

    @usableFromInline
    func encode(into json: inout JSONWriter) {
        withUnsafePointer(to: value) { value in json.object { members.encode(value, &$0) } }
    }

    /// For a pointer into the state and for its schema. The other visitors have functions of their own, which are specialized.
    @usableFromInline
    func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        withUnsafePointer(to: value) { members.visit($0, &visitor) }
    }

    /// The place of the value in a state, which is then not copied.
    @inlinable
    static func value(in state: UnsafePointer<DefinedState>) -> UnsafePointer<Value> {
        UnsafeRawPointer(state).assumingMemoryBound(to: Value.self)
    }

    @usableFromInline
    static func persistence(_ members: MemberList<Value>, from initial: Value) -> StatePersistence<DefinedState> {
        StatePersistence(
            restore: { persisted throws(RestorationError) in
                var state = DefinedState(value: initial, members: members)
                let isComplete = try members.restore(persisted, into: &state.value)
                return (state, isComplete)
            },
            encodePrivate: { state, encoder in members.encodePrivate(Self.value(in: state), into: &encoder) })
    }
}

/// The members of a state, in the order of its JSON.
///
/// Its functions are made where the type of the state is known, so that the compiler specializes them.
@usableFromInline
final class MemberList<State: Sendable>: Sendable {
    @usableFromInline typealias Encode<Target: ~Copyable> = @Sendable (UnsafePointer<State>, inout Target) -> Void

    @usableFromInline let findChanges: Encode<StateDiffer>
    @usableFromInline let encode: Encode<JSONWriter>
    private let encodePrivate: Encode<PrivateStateEncoder>
    let members: [AnyMember<State>]
    private let checks: [Check<State>]

    @inlinable
    convenience init(_ elements: StoreElements<State>) {
        var findChanges: Encode<StateDiffer>?
        var encode: Encode<JSONWriter>?
        var encodePrivate: Encode<PrivateStateEncoder>?
        for member in elements.members.reversed() {
            findChanges = member.findChanges(findChanges)
            encode = member.encode(encode)
            if member.isPrivate { encodePrivate = member.encodePrivate(encodePrivate) }
        }
        self.init(
            elements.members, elements.checks, findChanges ?? { _, _ in }, encode ?? { _, _ in },
            encodePrivate ?? { _, _ in })
    }

    @usableFromInline
    init(
        _ members: [AnyMember<State>], _ checks: [Check<State>], _ findChanges: @escaping Encode<StateDiffer>,
        _ encode: @escaping Encode<JSONWriter>, _ encodePrivate: @escaping Encode<PrivateStateEncoder>
    ) {
        self.members = members
        self.checks = checks
        self.findChanges = findChanges
        self.encode = encode
        self.encodePrivate = encodePrivate
    }

    var hasPrivateMembers: Bool { members.contains { $0.isPrivate } }

    @usableFromInline
    func visit(_ state: UnsafePointer<State>, _ visitor: inout some MemberVisitor & ~Copyable) {
        for member in members { member.member.visit(state, &visitor) }
    }

    @usableFromInline
    func encodePrivate(_ state: UnsafePointer<State>, into encoder: inout PrivateStateEncoder) {
        encodePrivate(state, &encoder)
    }

    /// - Returns: false if a member is missing, which then has the value that it had in `state`.
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        var isComplete = true
        for member in members where try !member.member.restore(persisted, into: &state) { isComplete = false }
        for check in checks where !check.holds(state) { throw check.error(in: members.flatMap(\.member.names)) }
        return isComplete
    }
}

/// The name of a member in the JSON that clients see, or in the private JSON beside it.
@usableFromInline
struct MemberName: Hashable, Sendable {
    let text: String
    let isPrivate: Bool

    @usableFromInline
    init(_ name: StaticString, isPrivate: Bool = false) {
        text = name.description
        self.isPrivate = isPrivate
    }
}

/// How a host encodes and restores one member.
@usableFromInline
protocol StateMember<State>: Sendable {
    associatedtype State: Sendable

    /// The names in JSON.
    var names: [MemberName] { get }
    /// Whether it has something that stays on the server.
    var isPrivate: Bool { get }

    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable)

    func findChanges(_ state: UnsafePointer<State>, _ differ: inout StateDiffer)

    func encode(_ state: UnsafePointer<State>, into json: inout JSONWriter)

    func encodePrivate(_ state: UnsafePointer<State>, into members: inout PrivateStateEncoder)

    /// Sets the member of `state` to its persisted value.
    ///
    /// - Returns: false if the persisted state has no such member.
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool
}

extension StateMember {
    @usableFromInline var isPrivate: Bool { false }

    @inlinable
    func findChanges(_ state: UnsafePointer<State>, _ differ: inout StateDiffer) { visit(state, &differ) }

    @inlinable
    func encode(_ state: UnsafePointer<State>, into json: inout JSONWriter) { visit(state, &json) }

    @inlinable
    func encodePrivate(_ state: UnsafePointer<State>, into members: inout PrivateStateEncoder) {}
}

/// A member with functions that the compiler has specialized for its types.
///
/// Each makes a function that encodes the member and then the rest: a chain, because a loop would retain each member.
@usableFromInline
struct AnyMember<State: Sendable>: Sendable {
    @usableFromInline typealias Chain<Target: ~Copyable> =
        @Sendable (_ rest: MemberList<State>.Encode<Target>?) -> MemberList<State>.Encode<Target>

    let member: any StateMember<State>
    @usableFromInline let findChanges: Chain<StateDiffer>
    @usableFromInline let encode: Chain<JSONWriter>
    @usableFromInline let encodePrivate: Chain<PrivateStateEncoder>
    @usableFromInline var isPrivate: Bool { member.isPrivate }

    @inlinable
    init(_ member: some StateMember<State>) {
        self.init(
            member,
            findChanges: { rest in
                guard let rest else { return { member.findChanges($0, &$1) } }
                return {
                    member.findChanges($0, &$1)
                    rest($0, &$1)
                }
            },
            encode: { rest in
                guard let rest else { return { member.encode($0, into: &$1) } }
                return {
                    member.encode($0, into: &$1)
                    rest($0, &$1)
                }
            },
            encodePrivate: { rest in
                guard let rest else { return { member.encodePrivate($0, into: &$1) } }
                return {
                    member.encodePrivate($0, into: &$1)
                    rest($0, &$1)
                }
            })
    }

    @usableFromInline
    init(
        _ member: any StateMember<State>, findChanges: @escaping Chain<StateDiffer>,
        encode: @escaping Chain<JSONWriter>, encodePrivate: @escaping Chain<PrivateStateEncoder>
    ) {
        self.member = member
        self.findChanges = findChanges
        self.encode = encode
        self.encodePrivate = encodePrivate
    }
}
