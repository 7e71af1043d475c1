public import JSON
import Stores

/// A value that can be read back from the JSON that it wrote, so that it outlasts the process.
///
/// It reads what it wrote, member by member, and leaves out what it derives. What it keeps without showing it to anybody it
/// names in `encodePrivate(into:)`:
///
///     struct Tasks: ObjectState, Restorable {
///         var titles: [String] = []
///         var nextID = 1
///
///         func visit(_ members: inout some MemberVisitor & ~Copyable) { members.member("titles", titles) }
///         func encodePrivate(into members: inout PrivateStateEncoder) { members.member("nextID", nextID) }
///
///         init(restoring kept: PersistedValue) throws(RestorationError) {
///             titles = try kept.member("titles")
///             nextID = try kept.hidden("nextID", in: 1...1_000_000)
///         }
///     }
///
/// What was kept may be older than the program, or not come from it at all: it is refused where the program could not work
/// with it, a number that would overflow say.
public protocol Restorable {
    /// The value that was kept.
    init(restoring kept: PersistedValue) throws(RestorationError)

    /// Visits the members that only the store knows: always the same ones, in the same order. None unless it is written
    /// otherwise.
    func encodePrivate(into members: inout PrivateStateEncoder)
}

extension Restorable {
    @inlinable
    public func encodePrivate(into members: inout PrivateStateEncoder) {}
}

extension Restorable where Self: RawRepresentable, RawValue: Restorable {
    /// An enum of strings or integers is read by its raw value.
    public init(restoring kept: PersistedValue) throws(RestorationError) {
        guard let value = Self(rawValue: try RawValue(restoring: kept)) else {
            throw kept.unreadable("is none of the values that there are")
        }
        self = value
    }
}

extension String: Restorable {
    public init(restoring kept: PersistedValue) throws(RestorationError) {
        guard let text = kept.json.asString else { throw kept.unreadable("must be a string") }
        self = text
    }
}

extension Int: Restorable {
    public init(restoring kept: PersistedValue) throws(RestorationError) {
        guard let number = kept.json.asInteger else { throw kept.unreadable("must be an integer of 64 bits") }
        self = number
    }
}

extension Bool: Restorable {
    public init(restoring kept: PersistedValue) throws(RestorationError) {
        guard let flag = kept.json.asBool else { throw kept.unreadable("must be true or false") }
        self = flag
    }
}

extension Double: Restorable {
    public init(restoring kept: PersistedValue) throws(RestorationError) {
        switch kept.json {
        case .integer(let number): self = Double(number)
        case .number(let number):
            guard let value = number.double else { throw kept.unreadable("is beyond what a number may be") }
            self = value
        default: throw kept.unreadable("must be a number")
        }
    }
}

extension JSONValue: Restorable {
    public init(restoring kept: PersistedValue) { self = kept.json }
}

extension Optional: Restorable where Wrapped: Restorable {
    /// `null` becomes nothing.
    public init(restoring kept: PersistedValue) throws(RestorationError) {
        self = kept.json.isNull ? nil : try Wrapped(restoring: kept)
    }
}

extension Array: Restorable where Element: Restorable {
    public init(restoring kept: PersistedValue) throws(RestorationError) {
        guard let elements = kept.json.asArray else { throw kept.unreadable("must be an array") }
        self = []
        reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            append(try kept.read(element, at: String(index)))
        }
    }
}

/// How the states of a kind are kept and read back; see ``Restorable``.
public struct StatePersistence<State: Sendable>: Sendable {
    let restore: @Sendable (PersistedValue) throws(RestorationError) -> State
    private let encodePrivate: @Sendable (borrowing State, inout PrivateStateEncoder) -> Void

    /// Writes all that is hidden in `state`, as one object, and the schema where that is not the first.
    func visit(_ state: borrowing State, schema: Int, _ members: inout PrivateStateEncoder) {
        members.open()
        if schema > 1 { members.member("$schema", schema) }
        encodePrivate(state, &members)
        members.close()
    }
}

extension StatePersistence where State: Restorable {
    /// What the state says of itself.
    public init() {
        restore = { kept throws(RestorationError) in try State(restoring: kept) }
        encodePrivate = { state, members in state.encodePrivate(into: &members) }
    }
}

extension HostedState {
    public static var restoration: StatePersistence<Self>? { nil }
}

extension HostedState where Self: Restorable {
    public static var restoration: StatePersistence<Self>? { StatePersistence() }
}

/// Why a state that was kept cannot be used.
public enum RestorationError: Error, Sendable, Equatable {
    /// The kind's state is not ``Restorable``.
    case notRestorable
    /// What was kept is not JSON.
    case malformed(Part)
    /// At that place stands what cannot stand there; the text says what is wrong, and nothing of the value.
    case unreadable(Part, at: JSONPointer, String)
    /// It was kept by a newer program, whose schema this one does not know.
    case newerSchema(Int, known: Int)

    /// A part of what is kept of a state.
    public enum Part: String, Sendable {
        /// What everybody may see.
        case state
        /// What only the store knows.
        case hidden
    }

    /// The same of a value that stands at `step` in another.
    func below(_ step: String) -> RestorationError {
        guard case .unreadable(let part, let pointer, let detail) = self else { return self }
        return .unreadable(part, at: JSONPointer(tokens: [step] + pointer.tokens), detail)
    }
}

extension RestorationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notRestorable: "a state of this kind cannot be restored"
        case .malformed(.state): "the kept state is not JSON"
        case .malformed(.hidden): "what was kept beside the state is not JSON"
        case .unreadable(.state, let pointer, let detail): "in the kept state, \(Self.place(pointer)) \(detail)"
        case .unreadable(.hidden, let pointer, let detail): "beside the kept state, \(Self.place(pointer)) \(detail)"
        case .newerSchema(let schema, let known):
            "the state was kept by a newer program: its schema is \(schema), and this program knows none beyond \(known)"
        }
    }

    private static func place(_ pointer: JSONPointer) -> String {
        pointer.tokens.isEmpty ? "the whole" : pointer.description
    }
}

/// What a store remembers of where it came from until it goes on: its state was migrated, which is to be a commit.
@usableFromInline
final class PendingMigration: Sendable {
    /// The state as it was kept.
    private let json: [UInt8]
    private let schema: Int

    /// - Parameters:
    ///   - json: the state as it was kept.
    ///   - schema: the one that it was kept in.
    @usableFromInline
    init(_ json: [UInt8], schema: Int) {
        self.json = json
        self.schema = schema
    }

    /// The commit that makes of the state that was kept the one that the store has.
    func record(_ kept: StateSnapshot, schema: Int, revision: Int, at moment: Int) -> CommitRecord {
        CommitRecord(
            revision: revision, type: "store/migrated",
            payload: ["from": .integer(self.schema), "to": .integer(schema)], origin: .system, cause: nil, at: moment,
            changes: EncodedPatch(from: json, to: kept.json), hidden: kept.hidden)
    }
}
