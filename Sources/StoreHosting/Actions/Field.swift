public import JSON

/// One member of an action's payload: its name, type, limits, documentation and example, said once.
///
/// The schema decides what is valid; reading only converts. A field is required unless ``optional()`` or
/// ``defaulting(to:)`` says otherwise.
public struct Field<Value: Sendable>: Sendable {
    /// What the member is called.
    public let name: String
    /// What its value may be.
    public private(set) var schema: JSONSchema
    /// What the action's example shows; nil leaves the member out of it.
    public let example: JSONValue?
    /// Whether a payload without it is refused.
    public private(set) var isRequired = true
    /// Whether the value must never be shown or kept in clear.
    public private(set) var isSecret = false

    /// The value of a valid member; of a missing one where it is not required.
    @usableFromInline let read: @Sendable (JSONValue?) -> Value?
    /// The member's JSON; nil where it is left out.
    @usableFromInline let write: @Sendable (Value) -> JSONValue?

    /// A field of a type that has no shorthand below.
    ///
    /// - Parameters:
    ///   - name: what the member is called.
    ///   - schema: decides which values reach `read`.
    ///   - example: what the action's example shows; nil leaves the member out of it.
    ///   - read: the value of a member; nil where the member cannot be one after all.
    ///   - write: the member again; nil leaves it out.
    public init(
        _ name: String, schema: JSONSchema, example: JSONValue?,
        read: @escaping @Sendable (JSONValue?) -> Value?, write: @escaping @Sendable (Value) -> JSONValue?
    ) {
        self.name = name
        self.schema = schema
        self.example = example
        self.read = read
        self.write = write
    }

    /// The field, left out of payloads where `value` is meant.
    public func defaulting(to value: Value) -> Field {
        let defaulted = write(value).map(schema.defaulting(to:)) ?? schema
        return derived(schema: defaulted, isRequired: false, read: { $0 == nil ? value : read($0) }, write: write)
    }

    /// The field, nil where it is left out.
    public func optional() -> Field<Value?> {
        derived(
            schema: schema, isRequired: false, read: { json in json == nil ? .some(nil) : read(json) },
            write: { $0.flatMap(write) })
    }

    /// The field, nil where it is `null`.
    public func nullable() -> Field<Value?> {
        derived(
            schema: schema.nullable, isRequired: isRequired,
            read: { json in json?.isNull == true ? .some(nil) : read(json) },
            write: { value in value.map(write) ?? .null })
    }

    /// The field, whose value is never shown.
    public func secret() -> Field {
        var field = self
        field.isSecret = true
        return field
    }

    /// The field with its documentation.
    public func described(_ text: String) -> Field {
        var field = self
        field.schema = schema.described(text)
        return field
    }

    private func derived<Other>(
        schema: JSONSchema, isRequired: Bool, read: @escaping @Sendable (JSONValue?) -> Other?,
        write: @escaping @Sendable (Other) -> JSONValue?
    ) -> Field<Other> {
        var field = Field<Other>(name, schema: schema, example: example, read: read, write: write)
        field.isRequired = isRequired
        field.isSecret = isSecret
        return field
    }
}

/// A field as it is read and written with each action: one reference, where the field itself is a lot to copy.
@usableFromInline
final class FieldCoder<Value: Sendable>: Sendable {
    @usableFromInline let name: String
    @usableFromInline let isSecret: Bool
    @usableFromInline let read: @Sendable (JSONValue?) -> Value?
    @usableFromInline let write: @Sendable (Value) -> JSONValue?

    @inlinable
    init(_ field: Field<Value>) {
        name = field.name
        isSecret = field.isSecret
        read = field.read
        write = field.write
    }

    @inlinable
    func value(in payload: JSONObject) throws(PayloadMismatch) -> Value {
        guard let value = read(payload[name]) else { throw PayloadMismatch() }
        return value
    }

    /// Puts the member into a payload; a secret is masked.
    @inlinable
    func add(_ value: Value, to payload: inout JSONObject) {
        guard let json = write(value) else { return }
        payload[name] = isSecret ? "***" : json
    }
}

/// A payload that its schema does not allow.
@usableFromInline
struct PayloadMismatch: Error {
    @inlinable init() {}
}

extension Field where Value == Int {
    /// A whole number within `range`.
    public static func integer(_ name: String, _ range: ClosedRange<Int>, example: Int? = nil) -> Field {
        Field(
            name, schema: .integer(range), example: .integer(example ?? range.lowerBound),
            read: { $0?.asInteger }, write: { .integer($0) })
    }
}

extension Field where Value == Int {
    /// A whole number, `minimum` or more; any of 64 bits where that is nil.
    public static func integer(_ name: String, atLeast minimum: Int? = nil, example: Int) -> Field {
        Field(
            name, schema: .integer(minimum: minimum), example: .integer(example), read: { $0?.asInteger },
            write: { .integer($0) })
    }
}

extension Field where Value: CaseIterable & RawRepresentable<String> {
    /// One of the words that the cases stand for.
    public static func choice(_ name: String, example: Value) -> Field {
        Field(
            name, schema: .enumeration(Value.allCases.map(\.rawValue)), example: .string(example.rawValue),
            read: { $0?.asString.flatMap(Value.init(rawValue:)) }, write: { .string($0.rawValue) })
    }
}

extension Field where Value == Bool {
    /// True or false.
    public static func boolean(_ name: String, example: Bool) -> Field {
        Field(name, schema: .boolean, example: .bool(example), read: { $0?.asBool }, write: { .bool($0) })
    }
}

extension Field where Value == String {
    /// A text whose length is counted in what a person calls characters.
    public static func text(_ name: String, _ length: ClosedRange<Int>, example: String?) -> Field {
        string(
            name, .string(minLength: length.lowerBound, maxLength: length.upperBound, counting: .characters),
            example: example)
    }

    /// One of these words.
    public static func choice(_ name: String, _ words: [String], example: String) -> Field {
        string(name, .enumeration(words), example: example)
    }

    /// A day of the calendar, `YYYY-MM-DD`.
    public static func day(_ name: String, example: String?) -> Field {
        string(name, .string(format: .date), example: example)
    }

    /// A string that `schema` allows.
    public static func string(_ name: String, _ schema: JSONSchema, example: String?) -> Field {
        Field(
            name, schema: schema, example: example.map(JSONValue.string), read: { $0?.asString },
            write: { .string($0) })
    }
}
