public import JSON
public import Stores

extension StoreDefinition {
    /// Whether clients see a member of a state, and how it is persisted.
    public enum Visibility: Sendable {
        /// Clients see it, and it is persisted.
        case shown
        /// It is persisted and stays on the server.
        case hidden
        /// It stays on the server. It is persisted sealed, or not at all if the server has no key; then a restored state has the
        /// initial value.
        case secret
    }
}

/// One member of the state of a ``StoreDefinition``: its name in JSON, and its place.
///
///     Member("guests", \.guests)
///     Member("nextID", \.nextID, .hidden)
///
/// A persisted state that lacks the member, because an older program wrote it, gets the initial value.
public struct Member<State: Sendable, Value: Sendable>: StoreElement {
    @usableFromInline let member: AnyMember<State>
    /// Where the calls are that it persists; nil for any other member.
    @usableFromInline var keptCalls: (member: String, place: StoreElements<State>.CallPlace)? = nil

    /// A member.
    ///
    /// - Parameters:
    ///   - name: a constant: letters, digits, `-` and `_`.
    ///   - path: its place in the state.
    ///   - visibility: whether clients see it, and how it is persisted.
    @inlinable
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ visibility: StoreDefinition<State>.Visibility = .shown
    ) where Value: JSONEncodable & Restorable {
        self.init(CodedMember(name, path), visibility)
    }

    /// A member with any `Codable` value. A ``StoreValue`` is the same.
    @inlinable
    @_disfavoredOverload
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        _ visibility: StoreDefinition<State>.Visibility = .shown
    ) where Value: Codable {
        self.init(CodableMember(name, path), visibility)
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
        member = AnyMember(TokenMember(CodedMember(name, path), stamp))
    }

    /// A member that clients see, of a `@Tracked` property with any `Codable` value.
    @inlinable
    @_disfavoredOverload
    public init(
        _ name: StaticString, _ path: any WritableKeyPath<State, Value> & Sendable,
        stamp: any KeyPath<State, ChangeToken> & Sendable
    ) where Value: Codable {
        member = AnyMember(TokenMember(CodableMember(name, path), stamp))
    }

    @inlinable
    init(_ member: some ValueMember<State>, _ visibility: StoreDefinition<State>.Visibility) {
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

    /// A member that clients see, of a `@Tracked` property of the same type, by its storage.
    ///
    ///     Member("guests", \._guests)
    ///
    /// Its value is encoded and compared only after actions that have changed the property.
    @inlinable
    public init(_ name: StaticString, _ path: any WritableKeyPath<State, Tracked<Value>> & Sendable)
    where Value: JSONEncodable & Restorable {
        member = AnyMember(TrackedMember(name, path))
    }

    /// The members `entities` and `ids` of a table, beside the other members of the state.
    @inlinable
    public init<Entity>(table path: any WritableKeyPath<State, EntityTable<Entity>> & Sendable)
    where
        Value == EntityTable<Entity>, Entity: JSONEncodable & Restorable,
        Entity.ID: JSONEncodable & Restorable & LosslessStringConvertible
    {
        member = AnyMember(TableMembers(path))
    }

    /// A text that stays on the server, and is persisted sealed, or not at all if the server has no key; then a restored state has
    /// the empty text.
    ///
    /// - Parameters:
    ///   - name: a constant: letters, digits, `-` and `_`.
    ///   - path: its place in the state.
    @inlinable
    public init(_ name: StaticString, _ path: any WritableKeyPath<State, Secret> & Sendable) where Value == Secret {
        member = AnyMember(SecretMember(name, path))
    }

    /// The calls of fetches that are repeated. Clients do not see them, and they are persisted in clear.
    ///
    /// - Parameters:
    ///   - name: a constant: letters, digits, `-` and `_`.
    ///   - path: their place in the state.
    @inlinable
    public init(_ name: StaticString, _ path: any WritableKeyPath<State, PendingCalls> & Sendable)
    where Value == PendingCalls {
        self.init(CodableMember(name, path), .hidden)
        keptCalls = ("\(name)", path)
    }

    /// A member that clients see and that is computed from others, so that it is not restored.
    ///
    ///     Member("total") { $0.prices.reduce(0, +) }
    ///
    /// - Parameters:
    ///   - name: a constant: letters, digits, `-` and `_`.
    ///   - compute: computes the value; called for each commit, so it must be quick.
    @inlinable
    public init(_ name: StaticString, _ compute: @escaping @Sendable (State) -> Value) where Value: JSONEncodable {
        member = AnyMember(ComputedMember(name, compute))
    }

    /// A member that clients see and that is computed from others, with any `Codable` value.
    @inlinable
    @_disfavoredOverload
    public init(_ name: StaticString, _ compute: @escaping @Sendable (State) -> Value) where Value: Codable {
        member = AnyMember(ComputedMember(name) { CodableJSON(compute($0)) })
    }

    public func add(to elements: inout StoreElements<State>) {
        elements.members.append(member)
        if let keptCalls { elements.keptCalls.append(keptCalls) }
    }
}
