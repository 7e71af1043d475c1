public import JSON
public import Stores

/// The declaration of one action: its type name, audience, fields, documentation, and coding.
@usableFromInline
package final class ActionDeclaration<Action: Sendable>: Sendable {
    /// The name in a request: `slice/action`.
    @usableFromInline
    package let type: String
    /// The effect of the action and when it is rejected, in a sentence.
    @usableFromInline
    package let summary: String
    /// The senders that it accepts.
    @usableFromInline
    package let audience: ActionAudience
    /// The reasons for which it is rejected, as far as the declaration names them; each once.
    @usableFromInline
    package let reasons: [String]
    /// The schema of its payload.
    @usableFromInline
    package let payload: JSONSchema
    /// An example of a request body.
    @usableFromInline
    package let example: JSONValue
    /// The members of the payload that must never be shown or persisted in clear.
    @usableFromInline
    package let secrets: [String]
    /// The members that the server fills.
    @usableFromInline
    package let filled: [FilledMember]
    /// Whether ``admit(_:)`` refuses nobody.
    @usableFromInline let admitsEveryone: Bool

    /// Whether a payload without members matches the schema, as that of most actions without fields does.
    @usableFromInline let acceptsEmptyPayload: Bool
    @usableFromInline let read: @Sendable (JSONObject) throws(PayloadMismatch) -> Action
    @usableFromInline let write: @Sendable (Action) -> JSONObject?

    /// Declares an action by its fields.
    ///
    /// Inlinable, so that the compiler specializes the coding for the types of the fields.
    ///
    /// - Parameters:
    ///   - type: `slice/action`.
    ///   - summary: the effect of the action and when it is rejected, in a sentence.
    ///   - audience: the senders that it accepts.
    ///   - members: the number of members that a payload must have; nil if the fields determine it.
    ///   - fields: the members of its payload.
    ///   - embed: makes the action from the values of the fields, in the order of `fields`.
    ///   - extract: the values of the fields; nil for any other action.
    @inlinable
    package convenience init<each Value: Sendable>(
        _ type: String, _ summary: String, audience: ActionAudience = .client, members: ClosedRange<Int>? = nil,
        fields: repeat Field<each Value>, embed: @escaping @Sendable (repeat each Value) -> Action,
        extract: @escaping @Sendable (Action) -> (repeat each Value)?
    ) {
        let fields = ActionFields(repeat each fields).limited(to: members)
        self.init(
            type, summary, audience: audience, payload: fields.schema(), example: fields.example,
            secrets: fields.secrets, filled: fields.filled,
            read: { payload throws(PayloadMismatch) in
                let values = try fields.read(payload)
                return embed(repeat each values)
            },
            write: { action in extract(action).map(fields.write) })
    }

    /// A copy of this declaration under another type.
    func renamed(_ rename: (String) -> String) -> ActionDeclaration {
        ActionDeclaration(
            rename(type), summary, audience: audience, reasons: reasons, payload: payload, example: examplePayload,
            secrets: secrets, filled: filled, read: read, write: write)
    }

    @usableFromInline var examplePayload: JSONObject { example["payload"]?.asObject ?? [:] }

    /// Declares an action without fields.
    package convenience init(_ type: String, _ summary: String, audience: ActionAudience = .client, _ action: Action)
    where Action: Equatable {
        self.init(
            type, summary, audience: audience, payload: .object([]), example: [:], secrets: [],
            read: { _ throws(PayloadMismatch) in action }, write: { $0 == action ? [:] : nil })
    }

    /// Declares an action by its coding.
    @usableFromInline
    init(
        _ type: String, _ summary: String, audience: ActionAudience, reasons: [String] = [], payload: JSONSchema,
        example: JSONObject, secrets: [String], filled: [FilledMember] = [],
        read: @escaping @Sendable (JSONObject) throws(PayloadMismatch) -> Action,
        write: @escaping @Sendable (Action) -> JSONObject?
    ) {
        self.type = type
        self.summary = summary
        self.audience = audience
        self.reasons = reasons
        self.payload = payload.withWriteOnlyMembers(secrets)
        acceptsEmptyPayload = payload.validate(.object(JSONObject())).isEmpty
        self.example = Self.body(type, example)
        self.secrets = secrets
        self.filled = filled
        admitsEveryone = audience == .client && !filled.contains { $0.filler == .user }
        self.read = read
        self.write = write
    }

    @inlinable
    convenience init<Nested>(_ part: ActionDeclaration<Nested>, _ path: CasePath<Action, Nested>) {
        self.init(
            part.type, part.summary, audience: part.audience, reasons: part.reasons, payload: part.payload,
            example: part.examplePayload,
            secrets: part.secrets, filled: part.filled,
            read: { json throws(PayloadMismatch) in path.embed(try part.read(json)) },
            write: { action in
                var payload: JSONObject?
                path.extract(action) { payload = part.write($0) }
                return payload
            })
    }

    /// Declares the action of a part as the action of a store.
    ///
    /// - Parameters:
    ///   - part: the action of the part.
    ///   - handler: the handler that the part has made of the action's own.
    @inlinable
    convenience init<State, Slice>(_ part: ActionDeclaration<StoreAction<Slice>>, as handler: ActionHandler<State>)
    where Action == StoreAction<State> {
        self.init(
            part.type, part.summary, audience: part.audience, reasons: part.reasons, payload: part.payload,
            example: part.examplePayload,
            secrets: part.secrets, filled: part.filled,
            read: { json throws(PayloadMismatch) in StoreAction(handler: handler, values: try part.read(json).values) },
            write: { $0.handler === handler ? $0.payload : nil })
    }

    /// Converts this declaration for actions that embed these.
    @inlinable
    package func embedded<Parent>(in path: CasePath<Parent, Action>) -> ActionDeclaration<Parent> {
        ActionDeclaration<Parent>(self, path)
    }

    /// Decodes a payload.
    ///
    /// - Parameter sent: the part of it that clients may send.
    @inlinable
    func action(of json: JSONObject, sent: JSONObject) throws(ActionDecodingError) -> Action {
        if !sent.isEmpty || !acceptsEmptyPayload {
            let violations = payload.validate(.object(sent), at: Self.payloadPointer)
            guard violations.isEmpty else { throw .invalidPayload(violations.map(explained)) }
        }
        do throws(PayloadMismatch) {
            return try read(json)
        } catch {
            throw .invalidPayload([violation(error)])
        }
    }

    /// A payload of the action log, without what the server has filled in.
    @usableFromInline
    func sent(_ payload: JSONObject) -> JSONObject {
        var payload = payload
        for member in filled where member.filler != .id { payload[member.name] = nil }
        return payload
    }

    /// A violation, which says so if it is at a member that the server fills.
    @usableFromInline
    func explained(_ violation: JSONSchema.Violation) -> JSONSchema.Violation {
        let isFilled = filled.contains { member in
            member.filler != .id && violation.pointer == JSONPointer(tokens: ["payload", member.name])
        }
        return isFilled
            ? .init(pointer: violation.pointer, detail: "is filled by the server; leave it out") : violation
    }

    @usableFromInline
    func violation(_ mismatch: PayloadMismatch) -> JSONSchema.Violation {
        guard let reason = mismatch.reason?.below("payload") else {
            return .init(pointer: Self.payloadPointer, detail: "must match the schema of \(type)")
        }
        return .init(pointer: reason.pointer, detail: reason.detail)
    }

    @usableFromInline static var payloadPointer: JSONPointer { JSONPointer(tokens: ["payload"]) }

    @usableFromInline
    static func body(_ type: String, _ payload: JSONObject) -> JSONValue {
        payload.isEmpty
            ? .object(["type": .string(type)]) : .object(["type": .string(type), "payload": .object(payload)])
    }
}
