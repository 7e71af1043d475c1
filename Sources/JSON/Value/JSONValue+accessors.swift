extension JSONValue {
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

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

    public var asString: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var asArray: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    public var asObject: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }
}
