public import JSON

/// A `Codable` value that states, entities and actions can contain without code of its own.
///
///     struct Item: StoreValue, Identifiable {
///         var id: String
///         var count = 1
///         var note: String?
///     }
///
/// It is encoded and restored by its `Codable` methods. An `EntityTable` can hold it, a state can have it as a member,
/// and a state that has nothing else to say can be one itself.
///
/// Members that are nil are left out. A member that is added later must be optional, or the states that were persisted
/// before need a ``StoreDefinition/Migration``.
///
/// An `encode(to:)` of your own must not throw for a value that an action can make: reject such an action. If the initial state
/// cannot be encoded, the server refuses to start. A commit whose state cannot be encoded ends the process with a line that names
/// the action and the member, like any other trap in a reducer. Nothing of that commit is shown or persisted.
public protocol StoreValue: Codable, JSONEncodable, Restorable, Sendable {}

extension StoreValue {
    /// Writes the value by its `encode(to:)`. Synthesized code does not throw; see ``StoreValue`` for code that does.
    public func encode(into json: inout JSONWriter) {
        json.codable(self)
    }

    /// Restores the value by its `init(from:)`.
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        self = try persisted.decode()
    }
}

// A raw value has more than one way to be encoded, all with the same JSON. These say which one is meant.

extension StoreValue where Self: RawRepresentable, RawValue: JSONEncodable {
    /// Writes the value by its `encode(to:)`.
    public func encode(into json: inout JSONWriter) {
        json.codable(self)
    }
}

extension StoreValue where Self: RawRepresentable, RawValue: Restorable {
    /// Restores the value by its `init(from:)`.
    public init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        self = try persisted.decode()
    }
}

extension CodableJSON: Restorable where Value: Decodable {
    /// Restores the value by its `init(from:)`.
    @usableFromInline
    package init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        self.init(try persisted.decode())
    }
}
