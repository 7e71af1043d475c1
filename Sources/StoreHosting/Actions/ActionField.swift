import JSON
public import Stores

/// A field of an ``Action``: a ``Field``, which clients send, or a ``FilledField``, which the server fills.
public protocol ActionField<Slot>: Sendable {
    /// The type that rules and the change get.
    associatedtype Value: Sendable
    /// The type in the type of the action: `Value`, or ``Filled`` around it.
    associatedtype Slot: Sendable

    /// The member of the payload.
    var member: Field<Slot> { get }

    /// The value in a slot.
    static func value(of slot: Slot) -> Value
}

extension Field: ActionField {
    public var member: Field { self }

    @inlinable
    public static func value(of slot: Value) -> Value { slot }
}

/// A field that the server fills before rules and the change see the action, so that no client can choose it.
///
///     let vote = Action<Poll, (Filled<ActorID>, String)>(
///         "vote", "Votes once.", .user("by"), .choice("option", ["tea", "coffee"], example: "tea"),
///         rules: .reject("voted-already") { poll, user, _ in poll.votes[user] != nil }
///     ) { poll, user, option in poll.votes[user] = option }
///
/// Rules and the change get the value. In the type of the action it stands as ``Filled``. An action made in the program leaves out the
/// filled fields at its beginning: `vote("tea")`. One behind another field is passed as ``Filled/byServer``.
///
/// The value is part of the committed action: it is in the log, and each repetition has it.
public struct FilledField<Value: Sendable>: ActionField {
    public let member: Field<Filled<Value>>

    @inlinable
    public static func value(of slot: Filled<Value>) -> Value { slot.value }
}

/// The value of a ``FilledField``, or the place for it in an action that no store has seen yet.
@dynamicMemberLookup
public struct Filled<Value: Sendable>: Sendable {
    @usableFromInline let known: Value?

    @usableFromInline
    init(known: Value?) { self.known = known }

    /// The place for a value that the store fills in.
    public static var byServer: Filled { Filled(known: nil) }

    /// A value that is known, as of an action that an interceptor makes from another.
    public init(_ value: Value) { known = value }

    /// The value. It is there in each action that a store has taken; reading it before is a fault of the program.
    @inlinable public var value: Value {
        guard let known else { Self.stopWithoutValue() }
        return known
    }

    /// A property of the value.
    public subscript<Property>(dynamicMember path: KeyPath<Value, Property>) -> Property { value[keyPath: path] }

    /// Ends the process: no value would be right, and a wrong one would let an action pass as somebody else's.
    @usableFromInline
    static func stopWithoutValue() -> Never {
        fatalError("an action has no \(Value.self) before a store has filled it in")
    }
}

/// The kinds of values that a server fills in.
@usableFromInline
package enum Filler: String, Sendable {
    /// The ``Actor``.
    case actor
    /// The id of the actor. Nobody without one may send the action.
    case user
    /// The time in milliseconds since 1970.
    case now
    /// An id that nobody can guess.
    case id
}

extension ActionField where Self == FilledField<Actor> {
    /// The sender of the action.
    public static func actor(_ name: String) -> Self {
        FilledField(
            name, .actor, { context in context.actor },
            read: { try? $0.decode(Actor.self) }, write: { try? JSONValue(encoding: $0) })
    }
}

extension ActionField where Self == FilledField<ActorID> {
    /// The id of the sender. The action of a sender without an id is refused: over HTTP with 403 `identity-required`.
    public static func user(_ name: String) -> Self {
        FilledField(
            name, .user, { context throws(Rejection) in try context.identity },
            read: { $0.asString.map { ActorID($0) } }, write: { .string($0.text) })
    }
}

extension ActionField where Self == FilledField<Int> {
    /// The time in milliseconds since 1970. All actions of a batch have the same.
    public static func now(_ name: String) -> Self {
        FilledField(name, .now, { context in context.now }, read: { $0.asInteger }, write: { .integer($0) })
    }
}

extension ActionField where Self == FilledField<String> {
    /// An id that nobody can guess, of 22 characters of `A-Z a-z 0-9 - _`. A client may send its own of 22 to 64 such characters.
    public static func id(_ name: String) -> Self {
        FilledField(
            name, .id, schema: .string(minLength: 22, maxLength: 64, pattern: .unguessableID),
            { _ in .unguessableID() }, read: { $0.asString }, write: { .string($0) })
    }
}

extension FilledField {
    /// - Parameters:
    ///   - value: the value for an action that is dispatched.
    ///   - read: reads a value of the log.
    ///   - write: writes a value for the log.
    fileprivate init(
        _ name: String, _ filler: Filler, schema: JSONSchema = .any,
        _ value: @escaping @Sendable (ActionContext) throws(Rejection) -> Value,
        read: @escaping @Sendable (JSONValue) -> Value?, write: @escaping @Sendable (Value) -> JSONValue?
    ) {
        member = Field(
            name, schema: schema,
            filling: .init(by: filler) { slot, context throws(Rejection) in
                slot.known == nil ? Filled(try value(context)) : slot
            },
            // Clients may send only what the schema has; the log has all values.
            read: { json in
                guard let json else { return .byServer }
                return read(json).map { Filled($0) }
            },
            write: { slot in slot.known.flatMap(write) })
    }
}

extension ActionContext {
    /// The id of the actor.
    fileprivate var identity: ActorID {
        get throws(Rejection) {
            guard actor.id.isEmpty else { return actor.id }
            throw "identity-required"
        }
    }
}

extension JSONSchema.Pattern {
    fileprivate static let unguessableID = JSONSchema.Pattern("^[A-Za-z0-9_-]{22,64}$") { text in
        (22...64).contains(text.utf8.count) && text.utf8.allSatisfy { Base64.urlSafe.value(of: $0) != nil }
    }
}

extension String {
    /// A new id: 132 random bits as text.
    fileprivate static func unguessableID() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = (0..<22).map { _ in Base64.urlSafe.digit(UInt8.random(in: 0..<64, using: &random)) }
        return String(decoding: digits, as: UTF8.self)
    }
}
