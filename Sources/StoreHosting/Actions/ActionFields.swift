public import JSON
public import Stores

/// The fields of an action's payload. `Values` is the type of one field, a tuple of the types of several, or `Void`.
@usableFromInline
struct ActionFields<Values: Sendable>: Sendable {
    /// Fills in the values that the server knows.
    @usableFromInline typealias Fill = @Sendable (Values, ActionContext) throws(Rejection) -> Values

    /// The members that clients send.
    let properties: [JSONSchema.Property]
    /// The members that the server fills.
    @usableFromInline let filled: [FilledMember]
    /// How many members a payload has; nil if the fields determine it.
    private var members: ClosedRange<Int>?
    @usableFromInline private(set) var example: JSONObject
    @usableFromInline let secrets: [String]
    /// The values in a payload that the schema accepts.
    @usableFromInline let read: @Sendable (JSONObject) throws(PayloadMismatch) -> Values
    /// The payload with these values, in which secrets are redacted.
    @usableFromInline let write: @Sendable (Values) -> JSONObject
    /// The payload with these values, in which secrets are in clear.
    @usableFromInline let writeClear: @Sendable (Values) -> JSONObject
    /// Nil if the server fills none of them.
    @usableFromInline let fill: Fill?

    @inlinable
    init<each Value: Sendable>(_ fields: repeat Field<each Value>) where Values == (repeat each Value) {
        var properties: [JSONSchema.Property] = []
        var example = JSONObject()
        var secrets: [String] = []
        var filled: [FilledMember] = []
        for field in repeat each fields {
            if field.isSecret { secrets.append(field.name) }
            if let filler = field.filling?.filler { filled.append(FilledMember(name: field.name, filler: filler)) }
            guard field.isSentByClients else { continue }
            properties.append(
                field.isRequired ? .required(field.name, field.schema) : .optional(field.name, field.schema))
            if let value = field.example { example[field.name] = value }
        }
        let coders = (repeat FieldCoder(each fields))
        let fill: Fill = { values, context throws(Rejection) in
            (repeat try (each coders).filled(each values, context))
        }
        self.init(
            properties, filled, example, secrets,
            read: { payload throws(PayloadMismatch) in (repeat try (each coders).value(in: payload)) },
            write: { values in
                var payload = JSONObject()
                repeat (each coders).add(each values, to: &payload)
                return payload
            },
            writeClear: { values in
                var payload = JSONObject()
                repeat (each coders).addClear(each values, to: &payload)
                return payload
            },
            fill: filled.isEmpty ? nil : fill)
    }

    @usableFromInline
    init(
        _ properties: [JSONSchema.Property], _ filled: [FilledMember], _ example: JSONObject, _ secrets: [String],
        read: @escaping @Sendable (JSONObject) throws(PayloadMismatch) -> Values,
        write: @escaping @Sendable (Values) -> JSONObject,
        writeClear: @escaping @Sendable (Values) -> JSONObject, fill: Fill?
    ) {
        self.properties = properties
        self.filled = filled
        self.example = example
        self.secrets = secrets
        self.read = read
        self.write = write
        self.writeClear = writeClear
        self.fill = fill
    }

    /// These fields, of which a payload has so many.
    @usableFromInline
    func limited(to members: ClosedRange<Int>?) -> ActionFields {
        var fields = self
        fields.members = members
        // The example leaves out optional fields, the last ones first.
        for property in properties.reversed()
        where !property.isRequired && fields.example.count > members?.upperBound ?? .max {
            fields.example[property.name] = nil
        }
        return fields
    }

    /// Whether there are no fields.
    var isEmpty: Bool { properties.isEmpty && filled.isEmpty }

    /// The schema of what clients send.
    @usableFromInline
    func schema() -> JSONSchema {
        .object(properties, minProperties: members?.lowerBound, maxProperties: members?.upperBound)
    }

    /// The errors in the declared fields and their examples, one sentence each.
    @usableFromInline var problems: [String] {
        let missing = properties.filter { $0.isRequired && example[$0.name] == nil }.map(\.name)
        let violations = schema().validate(.object(example), at: .root).filter { violation in
            !missing.contains { violation.pointer == JSONPointer(tokens: [$0]) }
        }
        let names = properties.map(\.name) + filled.filter { $0.filler != .id }.map(\.name)
        return names.duplicates.map { "Two fields have the name \"\($0)\"." }
            + missing.map { "The field \"\($0)\" needs an example." }
            + violations.map { "The example at \($0.pointer) \($0.detail)." }
    }
}

/// A member that the server fills.
@usableFromInline
package struct FilledMember: Sendable {
    /// The name of the member.
    @usableFromInline
    package let name: String
    /// The kind of value.
    @usableFromInline
    package let filler: Filler

    @usableFromInline
    init(name: String, filler: Filler) {
        self.name = name
        self.filler = filler
    }
}

extension Field {
    /// Whether clients may send the member.
    @usableFromInline var isSentByClients: Bool { filling == nil || filling?.filler == .id }
}
