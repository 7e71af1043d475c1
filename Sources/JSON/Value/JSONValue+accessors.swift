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
