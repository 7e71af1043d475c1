/// A value that may be `null`, which is not the same as a missing member.
public enum Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    case null
    case value(Value)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .null : .value(try container.decode(Value.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .value(let value): try container.encode(value)
        }
    }
}
