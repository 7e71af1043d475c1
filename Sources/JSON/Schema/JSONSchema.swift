/// The subset of JSON Schema (draft 2020-12) that action payloads and states need.
///
/// Encoding publishes the schema and ``validate(_:at:)`` enforces it, so the published schema and the checks agree.
/// Unknown members of an object are violations.
@usableFromInline
package struct JSONSchema: Sendable {
    private(set) var shape: Shape
    private(set) var isNullable = false
    private(set) var isWriteOnly = false
    private(set) var details: String?
    private(set) var defaultValue: JSONValue?

    indirect enum Shape: Sendable {
        case integer(minimum: Int?, maximum: Int?)
        case any
        case number(minimum: Double?, maximum: Double?)
        case boolean
        case enumeration([String])
        case string(TextRules)
        case array(of: JSONSchema, ItemCount)
        case object([Property], ItemCount)
        case dictionary(of: JSONSchema, ItemCount)
    }

    private init(_ shape: Shape) {
        self.shape = shape
    }

    /// A 64-bit integer, even if it is written as `1.0` or `1e2`.
    package static func integer(minimum: Int? = nil, maximum: Int? = nil) -> JSONSchema {
        JSONSchema(.integer(minimum: minimum, maximum: maximum))
    }

    /// An integer within the range.
    package static func integer(_ range: ClosedRange<Int>) -> JSONSchema {
        integer(minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Any number that a `Double` can hold, within the bounds. They must be finite.
    package static func number(minimum: Double? = nil, maximum: Double? = nil) -> JSONSchema {
        JSONSchema(.number(minimum: minimum, maximum: maximum))
    }

    /// A number within the range. Its bounds must be finite.
    package static func number(_ range: ClosedRange<Double>) -> JSONSchema {
        number(minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Any value, also `null`.
    package static let any = JSONSchema(.any)

    /// `true` or `false`.
    package static let boolean = JSONSchema(.boolean)

    /// One of these strings.
    package static func enumeration(_ values: [String]) -> JSONSchema {
        JSONSchema(.enumeration(values))
    }

    /// A string. If lengths count characters, the published `maxLength`, which counts code points, is stricter than the
    /// check: longer texts are also accepted if their characters have several code points. A text whose characters are
    /// counted has at most eight bytes of UTF-8 for each of them, because one character may have any number of code
    /// points.
    package static func string(
        minLength: Int? = nil, maxLength: Int? = nil, counting unit: TextUnit = .scalars,
        pattern: Pattern? = nil, format: Format? = nil
    ) -> JSONSchema {
        JSONSchema(
            .string(
                TextRules(length: ItemCount(minLength, maxLength), unit: unit, pattern: pattern, format: format)))
    }

    /// An array whose elements all match one schema.
    package static func array(of items: JSONSchema, minItems: Int? = nil, maxItems: Int? = nil) -> JSONSchema {
        JSONSchema(.array(of: items, ItemCount(minItems, maxItems)))
    }

    /// An object with no other members than these.
    package static func object(
        _ properties: [Property], minProperties: Int? = nil, maxProperties: Int? = nil
    ) -> JSONSchema {
        JSONSchema(.object(properties, ItemCount(minProperties, maxProperties)))
    }

    /// An object with any names, whose values all match one schema.
    package static func dictionary(
        of values: JSONSchema, minProperties: Int? = nil, maxProperties: Int? = nil
    ) -> JSONSchema {
        JSONSchema(.dictionary(of: values, ItemCount(minProperties, maxProperties)))
    }

    /// This schema, which also accepts `null`.
    package var nullable: JSONSchema {
        with { $0.isNullable = true }
    }

    /// Sets the keyword `description`.
    package func described(_ description: String) -> JSONSchema {
        with { $0.details = description }
    }

    /// Sets the keyword `default`: the value of an omitted member. Validation does not insert it.
    package func defaulting(to value: JSONValue) -> JSONSchema {
        with { $0.defaultValue = value }
    }

    /// This schema of an object, whose members of these names have the keyword `writeOnly`: no answer shows their values.
    package func withWriteOnlyMembers(_ names: [String]) -> JSONSchema {
        guard case .object(let properties, let count) = shape, !names.isEmpty else { return self }
        let marked = properties.map { property in
            guard names.contains(property.name) else { return property }
            let schema = property.schema.with { $0.isWriteOnly = true }
            return Property(name: property.name, schema: schema, isRequired: property.isRequired)
        }
        return with { $0.shape = .object(marked, count) }
    }

    private func with(_ change: (inout JSONSchema) -> Void) -> JSONSchema {
        var schema = self
        change(&schema)
        return schema
    }
}

extension JSONSchema {
    /// The allowed number of characters, elements or members.
    struct ItemCount: Sendable {
        let minimum: Int?
        let maximum: Int?

        init(_ minimum: Int?, _ maximum: Int?) {
            self.minimum = minimum
            self.maximum = maximum
        }

        func contains(_ count: Int) -> Bool {
            count >= minimum ?? 0 && count <= maximum ?? .max
        }

        /// `1 to 20 elements`, `at least 1 member`, …
        func phrase(_ noun: String) -> String {
            let plural = maximum ?? minimum == 1 ? noun : noun + "s"
            return switch (minimum, maximum) {
            case (let minimum?, let maximum?) where minimum == maximum: "exactly \(maximum) \(plural)"
            case (let minimum?, let maximum?) where minimum > 0: "\(minimum) to \(maximum) \(plural)"
            case (_, let maximum?): "at most \(maximum) \(plural)"
            case (let minimum?, nil): "at least \(minimum) \(plural)"
            case (nil, nil): "any number of \(plural)"
            }
        }
    }
}

extension JSONSchema {
    /// A required or optional member of an object.
    @usableFromInline
    package struct Property: Sendable {
        /// The name of the member.
        package let name: String
        /// The schema of its value.
        package let schema: JSONSchema
        /// Whether every valid object has the member.
        package let isRequired: Bool

        /// A member that every valid object has.
        @usableFromInline
        package static func required(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: true)
        }

        /// A member that an object may have.
        @usableFromInline
        package static func optional(_ name: String, _ schema: JSONSchema) -> Property {
            Property(name: name, schema: schema, isRequired: false)
        }
    }
}

extension JSONSchema: JSONEncodable {
    /// Writes the schema with the keywords of draft 2020-12.
    @usableFromInline
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            encodeType(into: &json)
            json.member("description", ifPresent: details)
            json.member("default", ifPresent: defaultValue)
            if isWriteOnly { json.member("writeOnly", true) }
            shape.encodeKeywords(isNullable: isNullable, into: &json)
        }
    }

    private func encodeType(into json: inout JSONWriter) {
        guard let type = shape.typeName else { return }
        if isNullable {
            json.member("type", [type, "null"])
        } else {
            json.member("type", type)
        }
    }
}

extension JSONSchema.Shape {
    /// Nil if a value may have any type.
    fileprivate var typeName: String? {
        switch self {
        case .any: nil
        case .number: "number"
        case .integer: "integer"
        case .boolean: "boolean"
        case .enumeration, .string: "string"
        case .array: "array"
        case .object, .dictionary: "object"
        }
    }

    fileprivate func encodeKeywords(isNullable: Bool, into json: inout JSONWriter) {
        switch self {
        case .any, .boolean:
            break
        case .number(let minimum, let maximum):
            json.member("minimum", ifPresent: minimum)
            json.member("maximum", ifPresent: maximum)
        case .integer(let minimum, let maximum):
            // Larger integers are rejected, so the published schema must exclude them.
            json.member("minimum", minimum ?? .min)
            json.member("maximum", maximum ?? .max)
        case .enumeration(let values):
            json.member("enum", values.map(JSONValue.string) + (isNullable ? [.null] : []))
        case .string(let rules):
            rules.encodeKeywords(into: &json)
        case .array(let items, let count):
            json.member("items", items)
            json.member("minItems", ifPresent: count.minimum)
            json.member("maxItems", ifPresent: count.maximum)
        case .object(let properties, let count):
            Self.encodeKeywords(of: properties, into: &json)
            json.member("minProperties", ifPresent: count.minimum)
            json.member("maxProperties", ifPresent: count.maximum)
        case .dictionary(let values, let count):
            json.member("additionalProperties", values)
            json.member("minProperties", ifPresent: count.minimum)
            json.member("maxProperties", ifPresent: count.maximum)
        }
    }

    private static func encodeKeywords(of properties: [JSONSchema.Property], into json: inout JSONWriter) {
        json.name("properties")
        json.object { json in
            for property in properties {
                json.member(name: property.name, property.schema)
            }
        }
        let required = properties.filter(\.isRequired).map(\.name)
        if !required.isEmpty {
            json.member("required", required)
        }
        json.member("additionalProperties", false)
    }
}

extension JSONSchema.TextRules {
    fileprivate func encodeKeywords(into json: inout JSONWriter) {
        // A character has at least one code point: a text within the published maximum, which counts code points, also
        // has no more characters. It may have fewer characters than the minimum.
        json.member("minLength", ifPresent: length.minimum)
        json.member("maxLength", ifPresent: length.maximum)
        json.member("pattern", ifPresent: pattern?.expression)
        json.member("format", ifPresent: format?.rawValue)
    }
}
