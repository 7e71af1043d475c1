/// What a JSON value must look like: the part of JSON Schema (draft 2020-12) that action payloads need.
///
/// A schema is published by encoding it and enforced by `validate`, so what is promised is what is checked.
/// Members that an object's schema does not name are refused.
public struct JSONSchema: Sendable {
    let shape: Shape
    private(set) var isNullable = false
    private(set) var title: String?
    private(set) var details: String?
    private(set) var defaultValue: JSONValue?

    indirect enum Shape: Sendable {
        case integer(minimum: Int?, maximum: Int?)
        case boolean
        case enumeration([String])
        case string(TextRules)
        case array(of: JSONSchema, ItemCount)
        case object([Property], ItemCount)
    }

    private init(_ shape: Shape) {
        self.shape = shape
    }

    /// A whole number, also where it is written as `1.0` or `1e2`.
    public static func integer(minimum: Int? = nil, maximum: Int? = nil) -> JSONSchema {
        JSONSchema(.integer(minimum: minimum, maximum: maximum))
    }

    /// A whole number within the range.
    public static func integer(_ range: ClosedRange<Int>) -> JSONSchema {
        integer(minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// `true` or `false`.
    public static let boolean = JSONSchema(.boolean)

    /// One of these strings.
    public static func enumeration(_ values: [String]) -> JSONSchema {
        JSONSchema(.enumeration(values))
    }

    /// A string. Where lengths count characters, the published `maxLength`, which counts code points, promises less room
    /// than there is: what it allows is accepted, and so are longer texts of characters with several code points.
    public static func string(
        minLength: Int? = nil, maxLength: Int? = nil, counting unit: TextUnit = .scalars,
        pattern: Pattern? = nil, format: Format? = nil
    ) -> JSONSchema {
        JSONSchema(
            .string(
                TextRules(length: ItemCount(minLength, maxLength), unit: unit, pattern: pattern, format: format)))
    }

    /// An array whose elements all look alike.
    public static func array(of items: JSONSchema, minItems: Int? = nil, maxItems: Int? = nil) -> JSONSchema {
        JSONSchema(.array(of: items, ItemCount(minItems, maxItems)))
    }

    /// An object with these members and no others.
    public static func object(
        _ properties: [Property], minProperties: Int? = nil, maxProperties: Int? = nil
    ) -> JSONSchema {
        JSONSchema(.object(properties, ItemCount(minProperties, maxProperties)))
    }

    /// The same schema, which takes `null` too.
    public var nullable: JSONSchema {
        with { $0.isNullable = true }
    }

    /// Gives the schema a title for readers.
    public func titled(_ title: String) -> JSONSchema {
        with { $0.title = title }
    }

    /// Says in words what the keywords cannot.
    public func described(_ description: String) -> JSONSchema {
        with { $0.details = description }
    }

    /// Says what stands for a member that is left out. It is published; whoever reads the value applies it.
    public func defaulting(to value: JSONValue) -> JSONSchema {
        with { $0.defaultValue = value }
    }

    private func with(_ change: (inout JSONSchema) -> Void) -> JSONSchema {
        var schema = self
        change(&schema)
        return schema
    }
}
