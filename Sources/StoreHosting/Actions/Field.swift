public import JSON
public import Stores

/// One member of an action's payload: its name, type, limits, documentation and example.
///
/// The schema decides which values are valid; reading only converts them. A field is required unless ``optional()`` or
/// ``defaulting(to:)`` says otherwise.
public struct Field<Value: Sendable>: Sendable {
    /// The name of the member.
    @usableFromInline
    package let name: String
    /// The values that are valid.
    @usableFromInline
    package private(set) var schema: JSONSchema
    /// The value in the action's example; nil leaves the member out.
    @usableFromInline
    package let example: JSONValue?
    /// Whether a payload without the member is invalid.
    @usableFromInline
    package private(set) var isRequired = true
    /// Whether the value must never be shown or persisted in clear.
    @usableFromInline
    package internal(set) var isSecret = false
    /// How the server fills the member; nil if clients send it.
    @usableFromInline let filling: FieldFilling<Value>?

    /// Decodes a valid member, or a missing one if it is not required.
    @usableFromInline let read: Reader
    /// Encodes the member; nil leaves it out.
    @usableFromInline let write: @Sendable (Value) -> JSONValue?
    /// Says why `read` has refused a member; nil if there is nothing to say.
    var explain: (@Sendable (JSONValue) -> JSONDecodingError?)?

    /// Throws in place of an optional result: where the compiler does not specialize the code for the type of the value, it
    /// would look up the optional type at each action.
    @usableFromInline typealias Reader = @Sendable (JSONValue?) throws(PayloadMismatch) -> Value

    /// A field of any type.
    ///
    /// - Parameters:
    ///   - name: the name of the member.
    ///   - schema: only values that match it reach `read`.
    ///   - example: the value in the action's example; nil leaves the member out.
    ///   - read: decodes a member; nil makes the payload invalid.
    ///   - write: encodes the member; nil leaves it out.
    package init(
        _ name: String, schema: JSONSchema, example: JSONValue?,
        read: @escaping @Sendable (JSONValue?) -> Value?, write: @escaping @Sendable (Value) -> JSONValue?
    ) {
        self.init(name, schema, example, read: Self.reader(read), write: write)
    }

    private static func reader(_ read: @escaping @Sendable (JSONValue?) -> Value?) -> Reader {
        { json throws(PayloadMismatch) in
            guard let value = read(json) else { throw PayloadMismatch(nil) }
            return value
        }
    }

    private init(
        _ name: String, _ schema: JSONSchema, _ example: JSONValue?, read: @escaping Reader,
        write: @escaping @Sendable (Value) -> JSONValue?
    ) {
        self.name = name
        self.schema = schema
        self.example = example
        self.read = read
        self.write = write
        filling = nil
    }

    /// A field that the server fills.
    ///
    /// - Parameter schema: of what clients may send.
    init(
        _ name: String, schema: JSONSchema, filling: FieldFilling<Value>,
        read: @escaping @Sendable (JSONValue?) -> Value?, write: @escaping @Sendable (Value) -> JSONValue?
    ) {
        self.name = name
        self.schema = schema
        self.filling = filling
        example = nil
        isRequired = false
        self.read = Self.reader(read)
        self.write = write
    }

    /// The field as an optional member whose absence means `value`.
    public func defaulting(to value: Value) -> Field {
        let defaulted = write(value).map(schema.defaulting(to:)) ?? schema
        return derived(
            schema: defaulted, isRequired: false,
            read: { json throws(PayloadMismatch) in json == nil ? value : try read(json) }, write: write)
    }

    /// The field as an optional member whose absence means nil.
    public func optional() -> Field<Value?> {
        derived(
            schema: schema, isRequired: false,
            read: { json throws(PayloadMismatch) in json == nil ? nil : try read(json) },
            write: { $0.flatMap(write) })
    }

    /// The field, whose member may be `null`, which means nil.
    public func nullable() -> Field<Value?> {
        derived(
            schema: schema.nullable, isRequired: isRequired,
            read: { json throws(PayloadMismatch) in json?.isNull == true ? nil : try read(json) },
            write: { value in value.map(write) ?? .null })
    }

    /// The field as a secret: its value is never shown or persisted in clear.
    public func secret() -> Field {
        var field = self
        field.isSecret = true
        return field
    }

    /// The field, whose member a payload must have or may lack.
    func required(_ isRequired: Bool) -> Field {
        var field = self
        field.isRequired = isRequired
        return field
    }

    /// The field with its documentation.
    public func described(_ text: String) -> Field {
        var field = self
        field.schema = schema.described(text)
        return field
    }

    private func derived<Other>(
        schema: JSONSchema, isRequired: Bool, read: @escaping Field<Other>.Reader,
        write: @escaping @Sendable (Other) -> JSONValue?
    ) -> Field<Other> {
        var field = Field<Other>(name, schema, example, read: read, write: write)
        field.isRequired = isRequired
        field.isSecret = isSecret
        field.explain = explain
        return field
    }
}

/// How a server fills a field.
@usableFromInline
struct FieldFilling<Value: Sendable>: Sendable {
    /// The kind of value.
    @usableFromInline let filler: Filler
    /// The value with what an action brings along; one that is there already stays.
    @usableFromInline let fill: @Sendable (Value, ActionContext) throws(Rejection) -> Value

    init(by filler: Filler, fill: @escaping @Sendable (Value, ActionContext) throws(Rejection) -> Value) {
        self.filler = filler
        self.fill = fill
    }
}

/// The coding of a field. A class, because copying a field for each action would be expensive.
@usableFromInline
final class FieldCoder<Value: Sendable>: Sendable {
    @usableFromInline let name: String
    @usableFromInline let isSecret: Bool
    @usableFromInline let read: Field<Value>.Reader
    @usableFromInline let write: @Sendable (Value) -> JSONValue?
    @usableFromInline let filling: FieldFilling<Value>?
    private let explain: (@Sendable (JSONValue) -> JSONDecodingError?)?

    @usableFromInline
    init(_ field: Field<Value>) {
        name = field.name
        isSecret = field.isSecret
        read = field.read
        write = field.write
        filling = field.filling
        explain = field.explain
    }

    @inlinable
    func value(in payload: JSONObject) throws(PayloadMismatch) -> Value {
        do throws(PayloadMismatch) {
            return try read(payload[name])
        } catch {
            throw mismatch(payload[name])
        }
    }

    /// The value, which the server has filled in if the field is one of its own.
    @inlinable
    func filled(_ value: Value, _ context: ActionContext) throws(Rejection) -> Value {
        guard let filling else { return value }
        return try filling.fill(value, context)
    }

    @usableFromInline
    func mismatch(_ json: JSONValue?) -> PayloadMismatch {
        PayloadMismatch(json.flatMap { explain?($0) }.map { $0.below(name) })
    }

    /// Adds the member to a payload; a secret is redacted.
    @inlinable
    func add(_ value: Value, to payload: inout JSONObject) {
        guard let json = write(value) else { return }
        payload[name] = isSecret ? "***" : json
    }

    /// Adds the member to a payload that a client sends.
    @inlinable
    func addClear(_ value: Value, to payload: inout JSONObject) {
        if let json = write(value) { payload[name] = json }
    }
}

/// The payload is valid by its schema, but a field could not be decoded.
@usableFromInline
struct PayloadMismatch: Error {
    /// The place in the payload and the error there; nil if they are not known.
    let reason: JSONDecodingError?

    init(_ reason: JSONDecodingError?) { self.reason = reason }
}

extension JSONDecodingError {
    /// A copy of this error for a value that contains the invalid one as `step`.
    func below(_ step: String) -> JSONDecodingError {
        JSONDecodingError(pointer: JSONPointer(tokens: [step] + pointer.tokens), detail: detail)
    }
}

extension ActionField where Self == Field<Int> {
    /// An integer in `range`.
    public static func integer(_ name: String, _ range: ClosedRange<Int>, example: Int? = nil) -> Self {
        Field(
            name, schema: .integer(range), example: .integer(example ?? range.lowerBound),
            read: { $0?.asInteger }, write: { .integer($0) })
    }
}

extension ActionField where Self == Field<Int> {
    /// A 64-bit integer, `minimum` or more if that is given.
    public static func integer(_ name: String, atLeast minimum: Int? = nil, example: Int) -> Self {
        Field(
            name, schema: .integer(minimum: minimum), example: .integer(example), read: { $0?.asInteger },
            write: { .integer($0) })
    }
}

extension ActionField {
    /// One of the raw values of the cases.
    public static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, example: Choice
    ) -> Self where Self == Field<Choice> {
        Field(
            name, schema: .enumeration(Choice.allCases.map(\.rawValue)), example: .string(example.rawValue),
            read: { json in
                // A text that equals a raw value only for Swift is none of the words.
                json?.asString.flatMap(Choice.init(rawValue:)).flatMap { json == .string($0.rawValue) ? $0 : nil }
            }, write: { .string($0.rawValue) })
    }
}

extension ActionField where Self == Field<Bool> {
    /// True or false.
    public static func boolean(_ name: String, example: Bool) -> Self {
        Field(name, schema: .boolean, example: .bool(example), read: { $0?.asBool }, write: { .bool($0) })
    }
}

extension ActionField where Self == Field<String> {
    /// A text. Its length is counted in characters as a reader sees them (grapheme clusters). It has at most eight bytes of
    /// UTF-8 for each character of the maximum.
    public static func text(_ name: String, _ length: ClosedRange<Int>, example: String?) -> Self {
        string(
            name, .string(minLength: length.lowerBound, maxLength: length.upperBound, counting: .characters),
            example: example)
    }

    /// One of `words`.
    public static func choice(_ name: String, _ words: [String], example: String) -> Self {
        string(name, .enumeration(words), example: example)
    }

    /// A date, `YYYY-MM-DD`.
    public static func day(_ name: String, example: String?) -> Self {
        string(name, .string(format: .date), example: example)
    }

    /// A string that matches `schema`.
    package static func string(_ name: String, _ schema: JSONSchema, example: String?) -> Self {
        Field(
            name, schema: schema, example: example.map(JSONValue.string), read: { $0?.asString },
            write: { .string($0) })
    }
}
