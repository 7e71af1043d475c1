public import JSON
import Stores

/// A value that can be restored from its own JSON, so that it outlives the process.
///
/// The initializer restores the members one by one, and ignores computed members. Members that are persisted but not
/// shown to clients are encoded by `encodePrivate(into:)`:
///
///     struct Tasks: ObjectState, Restorable {
///         var titles: [String] = []
///         var nextID = 1
///
///         func visitMembers(_ members: inout some MemberVisitor & ~Copyable) { members.member("titles", titles) }
///         func encodePrivate(into members: inout PrivateStateEncoder) { members.member("nextID", nextID) }
///
///         init(restoring persisted: PersistedValue) throws(RestorationError) {
///             titles = try persisted.member("titles")
///             nextID = try persisted.privateMember("nextID", in: 1...1_000_000)
///         }
///     }
///
/// The JSON may come from an older program or from somewhere else. The initializer must reject values that the program
/// cannot work with, such as a number that would overflow.
public protocol Restorable {
    /// Restores a persisted value.
    init(restoring persisted: PersistedValue) throws(RestorationError)

    /// Encodes the private members: always the same ones, in the same order. By default there are none.
    func encodePrivate(into members: inout PrivateStateEncoder)
}

extension Restorable {
    @inlinable
    public func encodePrivate(into members: inout PrivateStateEncoder) {}
}

extension Restorable where Self: RawRepresentable, RawValue: Restorable {
    /// Restores the value from its raw value.
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        guard let value = Self(rawValue: try RawValue(restoring: persisted)) else {
            throw persisted.unreadable("is none of the values that there are")
        }
        self = value
    }
}

extension String: Restorable {
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        guard let text = persisted.json.asString else { throw persisted.unreadable("must be a string") }
        self = text
    }
}

extension Int: Restorable {
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        guard let number = persisted.json.asInteger else { throw persisted.unreadable("must be an integer of 64 bits") }
        self = number
    }
}

extension Bool: Restorable {
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        guard let flag = persisted.json.asBool else { throw persisted.unreadable("must be true or false") }
        self = flag
    }
}

extension Double: Restorable {
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        switch persisted.json {
        case .integer(let number): self = Double(number)
        case .number(let number):
            guard let value = number.double else { throw persisted.unreadable("is beyond what a number may be") }
            self = value
        default: throw persisted.unreadable("must be a number")
        }
    }
}

extension JSONValue: Restorable {
    public init(restoring persisted: PersistedValue) { self = persisted.json }
}

extension Optional: Restorable where Wrapped: Restorable {
    /// Restores nil from `null`.
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        self = persisted.json.isNull ? nil : try Wrapped(restoring: persisted)
    }
}

extension Array: Restorable where Element: Restorable {
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        guard let elements = persisted.json.asArray else { throw persisted.unreadable("must be an array") }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            append(try persisted.read(element, at: String(index)))
        }
    }
}

extension Dictionary: Restorable where Key == String, Value: Restorable {
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        guard let members = persisted.json.asObject else { throw persisted.unreadable("must be an object") }
        self.init(minimumCapacity: members.count)
        for (name, value) in members {
            let value: Value = try persisted.read(value, at: name)
            // JSON tells names apart that are equal in Swift, such as two forms of one letter with an accent.
            guard updateValue(value, forKey: name) == nil else {
                throw persisted.unreadable("is there twice", below: name)
            }
        }
    }
}

/// How the states of a kind are persisted and restored; see ``Restorable``.
public struct StatePersistence<State: Sendable>: Sendable {
    /// A state, and whether all of its members were persisted.
    typealias Restored = (state: State, isComplete: Bool)

    let restore: @Sendable (PersistedValue) throws(RestorationError) -> Restored
    private let encodePrivate: @Sendable (borrowing State, inout PrivateStateEncoder) -> Void

    init(
        restore: @escaping @Sendable (PersistedValue) throws(RestorationError) -> Restored,
        encodePrivate: @escaping @Sendable (borrowing State, inout PrivateStateEncoder) -> Void
    ) {
        self.restore = restore
        self.encodePrivate = encodePrivate
    }

    /// Encodes the private members of `state` as one object, with `$schema` unless the schema is 1.
    func encodePrivate(_ state: borrowing State, schema: Int, into members: inout PrivateStateEncoder) {
        members.open()
        if schema > 1 { members.member("$schema", schema) }
        encodePrivate(state, &members)
        members.close()
    }
}

extension StatePersistence where State: Restorable {
    /// Uses the methods of ``Restorable``.
    public init() {
        restore = { persisted throws(RestorationError) in (try State(restoring: persisted), true) }
        encodePrivate = { state, members in state.encodePrivate(into: &members) }
    }
}

extension HostedState {
    public static var restoration: StatePersistence<Self>? { nil }
}

extension HostedState where Self: Restorable {
    public static var restoration: StatePersistence<Self>? { StatePersistence() }
}

/// Why a persisted state cannot be restored.
public enum RestorationError: Error, Sendable, Equatable {
    /// The kind's state is not ``Restorable``.
    case notRestorable
    /// The part is not JSON.
    case malformed(Part)
    /// The value at that place is invalid. The text says why, without quoting the value.
    case unreadable(Part, at: JSONPointer, String)
    /// A newer program persisted the state, and this program does not know its schema.
    case newerSchema(Int, known: Int)

    /// A part of a persisted state.
    public enum Part: String, Sendable {
        /// The part that clients see.
        case state
        /// The private part.
        case privateState
    }

    /// The same error for a value that contains this one at `step`.
    func below(_ step: String) -> RestorationError {
        guard case .unreadable(let part, let pointer, let detail) = self else { return self }
        return .unreadable(part, at: JSONPointer(tokens: [step] + pointer.tokens), detail)
    }
}

extension RestorationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notRestorable: "a state of this kind cannot be restored"
        case .malformed(.state): "the persisted state is not JSON"
        case .malformed(.privateState): "the persisted private state is not JSON"
        case .unreadable(.state, let pointer, let detail): "in the persisted state, \(Self.place(pointer)) \(detail)"
        case .unreadable(.privateState, let pointer, let detail):
            "in the persisted private state, \(Self.place(pointer)) \(detail)"
        case .newerSchema(let schema, let known):
            "a newer program persisted the state: its schema is \(schema), but this program knows schemas up to \(known) only"
        }
    }

    private static func place(_ pointer: JSONPointer) -> String {
        pointer.tokens.isEmpty ? "the whole" : pointer.description
    }
}

/// A migration of the restored state. It becomes the first commit when the store resumes.
@usableFromInline
final class PendingMigration: Sendable {
    /// The state before the migration, as JSON.
    private let json: [UInt8]
    private let schema: Int

    /// - Parameters:
    ///   - json: the state before the migration.
    ///   - schema: the schema of that state.
    @usableFromInline
    init(_ json: [UInt8], schema: Int) {
        self.json = json
        self.schema = schema
    }

    /// The commit of the migration.
    ///
    /// - Parameters:
    ///   - migrated: the state after the migration.
    ///   - schema: the schema of that state.
    func record(_ migrated: StateSnapshot, schema: Int, revision: Int, at moment: Int) -> CommitRecord {
        CommitRecord(
            revision: revision, type: "store/migrated",
            payload: ["from": .integer(self.schema), "to": .integer(schema)], origin: .system, cause: nil,
            committedAt: moment,
            changes: EncodedPatch(from: json, to: migrated.json), privateState: migrated.privateState)
    }
}
