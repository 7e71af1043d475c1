public import JSON
public import Stores

/// Who sees a member of a state.
public enum MemberVisibility: Sendable {
    /// Clients see it, and it is persisted.
    case shown
    /// It is persisted and stays on the server.
    case hidden
    /// It stays on the server. It is persisted sealed, or not at all if the server has no key; then a restored state has the
    /// initial value.
    case secret
}

/// One member of the state of a ``StoreDefinition``: its name in JSON, and its place.
///
///     Member("guests", \.guests)
///     Member("nextID", \.nextID, .hidden)
///
/// A persisted state that lacks the member, because an older program wrote it, gets the initial value.
public struct Member<State: Sendable, Value: Sendable>: StoreElement {
    private let member: any StateMember<State>

    /// A member.
    ///
    /// - Parameters:
    ///   - name: a constant: letters, digits, `-` and `_`.
    ///   - path: its place in the state.
    ///   - visibility: who sees it.
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ visibility: MemberVisibility = .shown
    ) where Value: JSONEncodable & Restorable {
        self.init(CodedMember(name: name, path: path, encode: { $0 }, decode: { $0 }), visibility)
    }

    /// A member with any `Codable` value. A ``StoreValue`` is the same.
    @_disfavoredOverload
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ visibility: MemberVisibility = .shown
    ) where Value: Codable {
        self.init(
            CodedMember<State, Value, CodableJSON<Value>>(
                name: name, path: path, encode: { CodableJSON($0) }, decode: \.value), visibility)
    }

    private init<Coded>(_ member: CodedMember<State, Value, Coded>, _ visibility: MemberVisibility) {
        switch visibility {
        case .shown: self.member = member
        case .hidden: self.member = PrivateMember(member: member, isSecret: false)
        case .secret: self.member = PrivateMember(member: member, isSecret: true)
        }
    }

    /// A table of entities: the object `{"entities": {…}, "ids": […]}`, whose changes are patches of single entities.
    public init<Entity>(_ name: StaticString, _ path: any WritableKeyPath<State, EntityTable<Entity>> & Sendable)
    where
        Value == EntityTable<Entity>, Entity: JSONEncodable & Restorable,
        Entity.ID: JSONEncodable & Restorable & LosslessStringConvertible
    {
        member = TableMember(name: name, path: path)
    }

    public func add(to elements: inout StoreElements<State>) { elements.members.append(member) }
}

/// How a host encodes and restores one member.
protocol StateMember<State>: Sendable {
    associatedtype State: Sendable

    var name: StaticString { get }
    /// The schema of what clients see; nil for a private member.
    var schema: JSONSchema? { get }
    var isPrivate: Bool { get }

    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable)

    func encodePrivate(_ state: State, into members: inout PrivateStateEncoder)

    /// Sets the member of `state` to its persisted value.
    ///
    /// - Returns: false if the persisted state has no such member.
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool
}

extension StateMember {
    var isPrivate: Bool { false }

    func encodePrivate(_ state: State, into members: inout PrivateStateEncoder) {}
}

/// A member that clients see.
private struct CodedMember<State: Sendable, Value: Sendable, Coded: JSONEncodable & Restorable>: StateMember {
    let name: StaticString
    let path: any WritableKeyPath<State, Value> & Sendable
    let encode: @Sendable (Value) -> Coded
    let decode: @Sendable (Coded) -> Value

    var schema: JSONSchema? { (Value.self as? any Decodable.Type).map { JSONSchema(of: $0) } ?? .any }

    func coded(_ state: State) -> Coded { encode(state[keyPath: path]) }

    func set(_ coded: Coded, in state: inout State) { state[keyPath: path] = decode(coded) }

    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable) { members.member(name, coded(state)) }

    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        guard let value: Coded = try persisted.member(ifPresent: name.description) else { return false }
        set(value, in: &state)
        return true
    }
}

/// A member that stays on the server.
private struct PrivateMember<State: Sendable, Value: Sendable, Coded: JSONEncodable & Restorable>: StateMember {
    let member: CodedMember<State, Value, Coded>
    let isSecret: Bool

    var name: StaticString { member.name }
    var schema: JSONSchema? { nil }
    var isPrivate: Bool { true }

    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable) {}

    func encodePrivate(_ state: State, into members: inout PrivateStateEncoder) {
        guard isSecret else { return members.member(name, member.coded(state)) }
        members.secret(name, String(decoding: member.coded(state).encoded(), as: UTF8.self))
    }

    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        if isSecret {
            // A secret that was left out, or that another key sealed, is not missing: without a key every state is like that.
            guard let text = try persisted.secret(name.description) else { return true }
            member.set(try persisted.restoredSecret(text, name.description), in: &state)
        } else {
            guard let value: Coded = try persisted.privateMember(ifPresent: name.description) else { return false }
            member.set(value, in: &state)
        }
        return true
    }
}

private struct TableMember<State: Sendable, Entity>: StateMember
where
    Entity: Identifiable & Sendable & JSONEncodable & Restorable,
    Entity.ID: Sendable & JSONEncodable & Restorable & LosslessStringConvertible
{
    let name: StaticString
    let path: any WritableKeyPath<State, EntityTable<Entity>> & Sendable

    var schema: JSONSchema? {
        let entity = (Entity.self as? any Decodable.Type).map { JSONSchema(of: $0) } ?? .any
        let id = (Entity.ID.self as? any Decodable.Type).map { JSONSchema(of: $0) } ?? .any
        return .object([.required("entities", .dictionary(of: entity)), .required("ids", .array(of: id))])
    }

    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable) {
        members.member(name, TableObject(table: state[keyPath: path]))
    }

    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        guard let object: PersistedObject = try persisted.member(ifPresent: name.description) else { return false }
        do throws(RestorationError) {
            state[keyPath: path] = try object.value.table()
        } catch {
            throw error.below(name.description)
        }
        return true
    }
}

/// A table as an object with members.
private struct TableObject<Entity>: ObjectState
where
    Entity: Identifiable & Sendable & JSONEncodable, Entity.ID: Sendable & JSONEncodable & LosslessStringConvertible
{
    let table: EntityTable<Entity>

    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.members(of: table) }
}

/// A persisted value as it is, for members that restore themselves.
struct PersistedObject: Restorable {
    let value: PersistedValue

    init(restoring persisted: PersistedValue) { value = persisted }
}
