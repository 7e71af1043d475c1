public import JSON
public import Stores

/// Whether clients see a member of a state, and how it is persisted.
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
    @usableFromInline let member: AnyMember<State>

    /// A member.
    ///
    /// - Parameters:
    ///   - name: a constant: letters, digits, `-` and `_`.
    ///   - path: its place in the state.
    ///   - visibility: whether clients see it, and how it is persisted.
    @inlinable
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ visibility: MemberVisibility = .shown
    ) where Value: JSONEncodable & Restorable {
        self.init(CodedMember(name, path, nil, encode: { $0 }, decode: { $0 }), visibility)
    }

    /// A member with any `Codable` value. A ``StoreValue`` is the same.
    @inlinable
    @_disfavoredOverload
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ visibility: MemberVisibility = .shown
    ) where Value: Codable {
        self.init(
            CodedMember<State, Value, CodableJSON<Value>>(
                name, path, nil, encode: { CodableJSON($0) }, decode: { $0.value }), visibility)
    }

    /// A member that clients see, of a `@Tracked` property.
    ///
    ///     Member("guests", \.guests, stamp: \.$guests)
    ///
    /// Its value is encoded and compared only after actions that have changed the property, which matters for large values.
    @inlinable
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        stamp: any KeyPath<State, ChangeToken> & Sendable
    ) where Value: JSONEncodable & Restorable {
        self.init(CodedMember(name, path, stamp, encode: { $0 }, decode: { $0 }), .shown)
    }

    /// A member that clients see, of a `@Tracked` property with any `Codable` value.
    @inlinable
    @_disfavoredOverload
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        stamp: any KeyPath<State, ChangeToken> & Sendable
    ) where Value: Codable {
        self.init(
            CodedMember<State, Value, CodableJSON<Value>>(
                name, path, stamp, encode: { CodableJSON($0) }, decode: { $0.value }), .shown)
    }

    @inlinable
    init<Coded>(_ member: CodedMember<State, Value, Coded>, _ visibility: MemberVisibility) {
        switch visibility {
        case .shown: self.member = AnyMember(member)
        case .hidden: self.member = AnyMember(PrivateMember(member, isSecret: false))
        case .secret: self.member = AnyMember(PrivateMember(member, isSecret: true))
        }
    }

    /// A table of entities: the object `{"entities": {…}, "ids": […]}`, whose changes are patches of single entities.
    @inlinable
    public init<Entity>(_ name: StaticString, _ path: any WritableKeyPath<State, EntityTable<Entity>> & Sendable)
    where
        Value == EntityTable<Entity>, Entity: JSONEncodable & Restorable,
        Entity.ID: JSONEncodable & Restorable & LosslessStringConvertible
    {
        member = AnyMember(TableMember(name, path))
    }

    public func add(to elements: inout StoreElements<State>) { elements.members.append(member) }
}

/// A member that clients see.
@usableFromInline
struct CodedMember<State: Sendable, Value: Sendable, Coded: JSONEncodable & Restorable>: StateMember {
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, Value>
    @usableFromInline let stamp: (any KeyPath<State, ChangeToken> & Sendable)?
    @usableFromInline let encode: @Sendable (Value) -> Coded
    @usableFromInline let decode: @Sendable (Coded) -> Value

    @inlinable
    init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ stamp: (any KeyPath<State, ChangeToken> & Sendable)?,
        encode: @escaping @Sendable (Value) -> Coded, decode: @escaping @Sendable (Coded) -> Value
    ) {
        self.name = name
        self.place = StateAccessor(path)
        self.stamp = stamp
        self.encode = encode
        self.decode = decode
    }

    @inlinable
    func coded(_ state: State) -> Coded { place.read(state) { encode($0) } }

    func set(_ coded: Coded, in state: inout State) { place.change(&state) { $0 = decode(coded) } }

    @inlinable
    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable) {
        if let stamp {
            members.member(name, coded(state), stamp: state[keyPath: stamp])
        } else {
            members.member(name, coded(state))
        }
    }

    @usableFromInline
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        guard let value: Coded = try persisted.member(ifPresent: name.description) else { return false }
        set(value, in: &state)
        return true
    }
}

/// A member that stays on the server.
@usableFromInline
struct PrivateMember<State: Sendable, Value: Sendable, Coded: JSONEncodable & Restorable>: StateMember {
    @usableFromInline let member: CodedMember<State, Value, Coded>
    @usableFromInline let isSecret: Bool

    @inlinable
    init(_ member: CodedMember<State, Value, Coded>, isSecret: Bool) {
        self.member = member
        self.isSecret = isSecret
    }

    @usableFromInline var name: StaticString { member.name }
    @usableFromInline var isPrivate: Bool { true }

    @inlinable
    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable) {}

    @inlinable
    func encodePrivate(_ state: State, into members: inout PrivateStateEncoder) {
        guard isSecret else { return members.member(member.name, member.coded(state)) }
        members.secret(member.name, json: member.coded(state))
    }

    @usableFromInline
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

@usableFromInline
struct TableMember<State: Sendable, Entity>: StateMember
where
    Entity: Identifiable & Sendable & JSONEncodable & Restorable,
    Entity.ID: Sendable & JSONEncodable & Restorable & LosslessStringConvertible
{
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, EntityTable<Entity>>

    @inlinable
    init(_ name: StaticString, _ path: any WritableKeyPath<State, EntityTable<Entity>> & Sendable) {
        self.name = name
        place = StateAccessor(path)
    }

    @inlinable
    func visit(_ state: State, _ members: inout some MemberVisitor & ~Copyable) {
        place.read(state) { members.member(name, TableObject($0)) }
    }

    @usableFromInline
    func restore(_ persisted: PersistedValue, into state: inout State) throws(RestorationError) -> Bool {
        guard let object: PersistedObject = try persisted.member(ifPresent: name.description) else { return false }
        do throws(RestorationError) {
            let table: EntityTable<Entity> = try object.value.table()
            place.change(&state) { $0 = table }
        } catch {
            throw error.below(name.description)
        }
        return true
    }
}

/// A table as an object with members.
@usableFromInline
struct TableObject<Entity>: ObjectState
where
    Entity: Identifiable & Sendable & JSONEncodable, Entity.ID: Sendable & JSONEncodable & LosslessStringConvertible
{
    @usableFromInline let table: EntityTable<Entity>

    @inlinable
    init(_ table: EntityTable<Entity>) { self.table = table }

    @inlinable
    func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.members(of: table) }
}

/// A persisted value as it is, for members that restore themselves.
struct PersistedObject: Restorable {
    let value: PersistedValue

    init(restoring persisted: PersistedValue) { value = persisted }
}
