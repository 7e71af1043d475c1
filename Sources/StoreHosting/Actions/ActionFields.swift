public import JSON

/// The fields of an action's payload. `Values` is the type of one field, a tuple of the types of several, or `Void`.
@usableFromInline
struct ActionFields<Values: Sendable>: Sendable {
    let properties: [JSONSchema.Property]
    /// How many members a payload has; nil if the fields determine it.
    private var members: ClosedRange<Int>?
    @usableFromInline private(set) var example: JSONObject
    @usableFromInline let secrets: [String]
    /// The fields that the server fills in after a payload is validated. They are no properties.
    @usableFromInline let filled: [String]
    /// The values in a payload that the schema accepts.
    @usableFromInline let read: @Sendable (JSONObject) throws(PayloadMismatch) -> Values
    /// The payload with these values, in which secrets are redacted.
    @usableFromInline let write: @Sendable (Values) -> JSONObject

    @inlinable
    init<each Value: Sendable>(_ fields: repeat Field<each Value>) where Values == (repeat each Value) {
        var properties: [JSONSchema.Property] = []
        var example = JSONObject()
        var secrets: [String] = []
        var filled: [String] = []
        for field in repeat each fields {
            if field.isFilled {
                filled.append(field.name)
                continue
            }
            if field.isSecret { secrets.append(field.name) }
            properties.append(
                field.isRequired ? .required(field.name, field.schema) : .optional(field.name, field.schema))
            if let value = field.example { example[field.name] = value }
        }
        let coders = (repeat FieldCoder(each fields))
        self.init(
            properties, example, secrets, filled,
            read: { payload throws(PayloadMismatch) in (repeat try (each coders).value(in: payload)) },
            write: { values in
                var payload = JSONObject()
                repeat (each coders).add(each values, to: &payload)
                return payload
            })
    }

    @usableFromInline
    init(
        _ properties: [JSONSchema.Property], _ example: JSONObject, _ secrets: [String], _ filled: [String],
        read: @escaping @Sendable (JSONObject) throws(PayloadMismatch) -> Values,
        write: @escaping @Sendable (Values) -> JSONObject
    ) {
        self.properties = properties
        self.example = example
        self.secrets = secrets
        self.filled = filled
        self.read = read
        self.write = write
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
        return properties.map(\.name).duplicates.map { "Two fields have the name \"\($0)\"." }
            + missing.map { "The field \"\($0)\" needs an example." }
            + violations.map { "The example at \($0.pointer) \($0.detail)." }
    }
}
