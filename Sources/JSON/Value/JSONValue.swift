/// Any JSON value (RFC 8259), as it was written.
///
/// Numbers written as a plain 64-bit integer are kept as such, all others keep their text, so nothing is rounded.
/// Two strings, or two member names, are equal when their code points are: unlike Swift's `==` on `String`, composed
/// and decomposed forms of a letter differ, as RFC 8259 section 8.3 wants. The order of members does not count.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int)
    /// Every other number.
    case number(JSONNumber)
    /// A string, without its escapes.
    case string(String)
    /// Values in their order.
    case array([JSONValue])
    /// Members by their names.
    case object(JSONObject)

    /// The member of that name; nil where there is none, or where the value is no object.
    public subscript(name: String) -> JSONValue? {
        asObject?[name]
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        String(decoding: encoded(), as: UTF8.self)
    }
}

extension JSONValue {
    /// Whether it is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean, nil for any other value.
    public var asBool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, also where it was written as `1.0` or `1e2`; nil beyond 64 bits.
    public var asInteger: Int? {
        switch self {
        case .integer(let value): value
        case .number(let number): number.exactInteger
        default: nil
        }
    }

    /// The string, nil for any other value.
    public var asString: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, nil for any other value.
    public var asArray: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, nil for any other value.
    public var asObject: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }
}

extension JSONValue: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) {
        self = .null
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// A literal beyond what a `Double` holds is `null`, as the writer has it too.
    public init(floatLiteral value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Keeps the order written. Of two members with one name the later value stands.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}
