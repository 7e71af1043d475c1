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
    private let encodePrivate: Encode<JSONValue.PrivateEncoder>
    let members: [AnyMember<State>]
    private let checks: [Check<State>]

    @inlinable
    convenience init(_ elements: StoreElements<State>) {
        let members = elements.members
        self.init(
            members, elements.conditions, EncodingStep.chain(members.map { $0.findChanges }),
            EncodingStep.chain(members.map { $0.encode }),
            EncodingStep.chain(members.filter { $0.isPrivate }.map { $0.encodePrivate }))
    }

    @usableFromInline
    init(
        _ members: [AnyMember<State>], _ checks: [Check<State>], _ findChanges: @escaping Encode<StateDiffer>,
        _ encode: @escaping Encode<JSONWriter>, _ encodePrivate: @escaping Encode<JSONValue.PrivateEncoder>
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
    func encodePrivate(_ state: UnsafePointer<State>, into encoder: inout JSONValue.PrivateEncoder) {
        encodePrivate(state, &encoder)
    }

    /// - Returns: false if a member is missing, which then has the value that it had in `state`.
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        var isComplete = true
        for member in members where member.names.contains(where: { persisted.hasChanged($0.text) }) {
            if try !member.member.restore(persisted, into: &state) { isComplete = false }
        }
        guard !persisted.isShownPart else { return isComplete }
        for check in checks where !check.holds(state) { throw check.error(in: members.flatMap { $0.names }) }
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
    /// The bytes of the state that it shows; nil if that is not known.
    var extent: Range<Int>? { get }

    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable)

    func findChanges(_ state: UnsafePointer<State>, _ differ: inout StateDiffer)

    func encode(_ state: UnsafePointer<State>, into json: inout JSONWriter)

    func encodePrivate(_ state: UnsafePointer<State>, into members: inout JSONValue.PrivateEncoder)

    /// Sets the member of `state` to its persisted value.
    ///
    /// - Returns: false if the persisted state has no such member.
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool
}

extension StateMember {
    @usableFromInline var isPrivate: Bool { false }
    @usableFromInline var extent: Range<Int>? { nil }

    @inlinable
    func findChanges(_ state: UnsafePointer<State>, _ differ: inout StateDiffer) { visit(state, &differ) }

    @inlinable
    func encode(_ state: UnsafePointer<State>, into json: inout JSONWriter) { visit(state, &json) }

    @inlinable
    func encodePrivate(_ state: UnsafePointer<State>, into members: inout JSONValue.PrivateEncoder) {}
}

/// A member with functions that the compiler has specialized for its types.
@usableFromInline
struct AnyMember<State: Sendable>: Sendable {
    let member: any StateMember<State>
    let names: [MemberName]
    @usableFromInline let findChanges: EncodingStep<State, StateDiffer>
    @usableFromInline let encode: EncodingStep<State, JSONWriter>
    @usableFromInline let encodePrivate: EncodingStep<State, JSONValue.PrivateEncoder>
    @usableFromInline var isPrivate: Bool { member.isPrivate }

    @inlinable
    init(_ member: some StateMember<State>) {
        self.init(
            member,
            findChanges: .init {
                member.findChanges($0, &$1)
            } before: { rest in
                {
                    member.findChanges($0, &$1)
                    rest($0, &$1)
                }
            },
            encode: .init {
                member.encode($0, into: &$1)
            } before: { rest in
                {
                    member.encode($0, into: &$1)
                    rest($0, &$1)
                }
            },
            encodePrivate: .init {
                member.encodePrivate($0, into: &$1)
            } before: { rest in
                {
                    member.encodePrivate($0, into: &$1)
                    rest($0, &$1)
                }
            })
    }

    @usableFromInline
    init(
        _ member: any StateMember<State>, findChanges: EncodingStep<State, StateDiffer>,
        encode: EncodingStep<State, JSONWriter>, encodePrivate: EncodingStep<State, JSONValue.PrivateEncoder>
    ) {
        self.member = member
        names = member.names
        self.findChanges = findChanges
        self.encode = encode
        self.encodePrivate = encodePrivate
    }
}

/// How one member is encoded.
@usableFromInline
struct EncodingStep<State: Sendable, Target: ~Copyable>: Sendable {
    @usableFromInline typealias Encode = MemberList<State>.Encode<Target>

    @usableFromInline let alone: Encode
    /// Makes a function that encodes the member and then the rest.
    @usableFromInline let before: @Sendable (_ rest: @escaping Encode) -> Encode

    @inlinable
    init(alone: @escaping Encode, before: @escaping @Sendable (_ rest: @escaping Encode) -> Encode) {
        self.alone = alone
        self.before = before
    }

    /// One function of all steps: a chain, because a loop would retain each step.
    @inlinable
    static func chain(_ steps: [EncodingStep]) -> Encode {
        guard let last = steps.last else { return { _, _ in } }
        var chain = last.alone
        for step in steps.dropLast().reversed() { chain = step.before(chain) }
        return chain
    }
}
