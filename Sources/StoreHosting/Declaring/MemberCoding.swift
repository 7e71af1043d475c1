public import JSON
public import Stores

/// A member with one value.
@usableFromInline
protocol ValueMember<State>: StateMember {
    associatedtype Coded: JSONEncodable & Restorable

    var name: StaticString { get }

    /// The value as it is encoded.
    func coded(_ state: UnsafePointer<State>) -> Coded

    func set(_ coded: Coded, in state: inout State)
}

extension ValueMember {
    @usableFromInline var names: [MemberName] { [MemberName(name)] }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {
        members.member(name, coded(state))
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        guard let value: Coded = try persisted.member(ifPresent: name.description) else { return false }
        set(value, in: &state)
        return true
    }
}

/// A member that encodes itself.
@usableFromInline
struct CodedMember<State: Sendable, Value: Sendable & JSONEncodable & Restorable>: ValueMember {
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, Value>

    @inlinable
    init(_ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable) {
        self.name = name
        place = StateAccessor(path)
    }

    @inlinable
    func coded(_ state: UnsafePointer<State>) -> Value { place.read(at: state) { $0.pointee } }

    @usableFromInline
    func set(_ coded: Value, in state: inout State) { place.change(&state) { $0 = coded } }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {
        place.read(at: state) { value in
            value.withMemoryRebound(to: InPlace<Value>.self, capacity: 1) { $0.pointee.visit(name, &members) }
        }
    }
}

/// A member with any `Codable` value.
@usableFromInline
struct CodableMember<State: Sendable, Value: Sendable & Codable>: ValueMember {
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, Value>

    @inlinable
    init(_ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable) {
        self.name = name
        place = StateAccessor(path)
    }

    @inlinable
    func coded(_ state: UnsafePointer<State>) -> CodableJSON<Value> {
        CodableJSON(place.read(at: state) { $0.pointee })
    }

    @usableFromInline
    func set(_ coded: CodableJSON<Value>, in state: inout State) { place.change(&state) { $0 = coded.value } }
}

/// A member that is compared only if its token has changed.
@usableFromInline
struct TokenMember<State: Sendable, Member: ValueMember<State>>: StateMember {
    @usableFromInline let member: Member
    @usableFromInline let stamp: any KeyPath<State, ChangeToken> & Sendable

    @inlinable
    init(_ member: Member, _ stamp: any KeyPath<State, ChangeToken> & Sendable) {
        self.member = member
        self.stamp = stamp
    }

    @usableFromInline var names: [MemberName] { member.names }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {
        members.member(member.name, member.coded(state), stamp: state.pointee[keyPath: stamp])
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        try member.restore(persisted, into: &state)
    }
}

/// A `@Tracked` property, by its storage.
@usableFromInline
struct TrackedMember<State: Sendable, Value: Sendable & JSONEncodable & Restorable>: ValueMember {
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, Tracked<Value>>

    @inlinable
    init(_ name: StaticString, _ path: any WritableKeyPath<State, Tracked<Value>> & Sendable) {
        self.name = name
        place = StateAccessor(path)
    }

    @inlinable
    func coded(_ state: UnsafePointer<State>) -> Value { place.read(at: state) { $0.pointee.wrappedValue } }

    @usableFromInline
    func set(_ coded: Value, in state: inout State) { place.change(&state) { $0.wrappedValue = coded } }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {
        place.read(at: state) { members.member(name, $0.pointee.wrappedValue, stamp: $0.pointee.projectedValue) }
    }
}

/// A member that stays on the server.
@usableFromInline
struct PrivateMember<State: Sendable, Member: ValueMember<State>>: StateMember {
    @usableFromInline let member: Member
    @usableFromInline let isSecret: Bool

    @inlinable
    init(_ member: Member, isSecret: Bool) {
        self.member = member
        self.isSecret = isSecret
    }

    @usableFromInline var names: [MemberName] { [MemberName(member.name, isPrivate: true)] }
    @usableFromInline var isPrivate: Bool { true }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {}

    @inlinable
    func encodePrivate(_ state: UnsafePointer<State>, into members: inout JSONValue.PrivateEncoder) {
        guard isSecret else { return members.member(member.name, member.coded(state)) }
        members.secret(member.name, json: member.coded(state))
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        let name = member.name.description
        if isSecret {
            // A secret that was left out, or that another key sealed, is not missing: without a key every state is like that.
            guard let text = try persisted.secret(name) else { return true }
            member.set(try persisted.restoredSecret(text, name), in: &state)
        } else {
            guard let value: Member.Coded = try persisted.privateMember(ifPresent: name) else { return false }
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

    @usableFromInline var names: [MemberName] { [MemberName(name)] }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {
        place.read(at: state) { members.member(name, TableObject($0.pointee)) }
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        guard let object = try persisted.part(ifPresent: name.description) else { return false }
        do throws(RestorationError) {
            let table = try object.table(from: place.read(state) { $0 })
            place.change(&state) { $0 = table }
        } catch {
            throw error.below(name.description)
        }
        return true
    }
}

/// A table whose members are members of the state.
@usableFromInline
struct TableMembers<State: Sendable, Entity>: StateMember
where
    Entity: Identifiable & Sendable & JSONEncodable & Restorable,
    Entity.ID: Sendable & JSONEncodable & Restorable & LosslessStringConvertible
{
    @usableFromInline let place: StateAccessor<State, EntityTable<Entity>>

    @inlinable
    init(_ path: any WritableKeyPath<State, EntityTable<Entity>> & Sendable) { place = StateAccessor(path) }

    @usableFromInline var names: [MemberName] { [MemberName("entities"), MemberName("ids")] }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {
        place.read(at: state) { members.members(of: $0.pointee) }
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        let table = try persisted.table(from: place.read(state) { $0 })
        place.change(&state) { $0 = table }
        return true
    }
}

/// A text that stays on the server.
@usableFromInline
struct SecretMember<State: Sendable>: StateMember {
    @usableFromInline let name: StaticString
    @usableFromInline let place: StateAccessor<State, Secret>

    @inlinable
    init(_ name: StaticString, _ path: any WritableKeyPath<State, Secret> & Sendable) {
        self.name = name
        place = StateAccessor(path)
    }

    @usableFromInline var names: [MemberName] { [MemberName(name, isPrivate: true)] }
    @usableFromInline var isPrivate: Bool { true }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {}

    @inlinable
    func encodePrivate(_ state: UnsafePointer<State>, into members: inout JSONValue.PrivateEncoder) {
        members.secret(name, place.read(at: state) { $0.pointee.unmasked })
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool {
        let text = try persisted.secret(name.description) ?? ""
        place.change(&state) { $0 = Secret(text) }
        return true
    }
}

/// A member that is computed.
@usableFromInline
struct ComputedMember<State: Sendable, Value: JSONEncodable>: StateMember {
    @usableFromInline let name: StaticString
    @usableFromInline let compute: @Sendable (State) -> Value

    @inlinable
    init(_ name: StaticString, _ compute: @escaping @Sendable (State) -> Value) {
        self.name = name
        self.compute = compute
    }

    @usableFromInline var names: [MemberName] { [MemberName(name)] }

    @inlinable
    func visit(_ state: UnsafePointer<State>, _ members: inout some MemberVisitor & ~Copyable) {
        let value = state.withMemoryRebound(to: InPlace<State>.self, capacity: 1) { $0.pointee.pass(to: compute) }
        members.member(name, value)
    }

    @usableFromInline
    func restore(_ persisted: JSONValue.Persisted, into state: inout State) throws(RestorationError) -> Bool { true }
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
