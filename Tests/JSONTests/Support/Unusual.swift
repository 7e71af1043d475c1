import JSON

/// Code for encoding that Swift allows, but does not synthesize.
enum Unusual: Encodable {
    case interleaved, outerFirst, twice, manyTwice, unused, nothing, arrays, sameContainer
    case twoValues, valueAndContainer, failing, caught

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    struct Failure: Error {}

    private typealias Container = KeyedEncodingContainer<Key>

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .nothing: break
        case .twoValues:
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode(2)
        case .valueAndContainer:
            var value = encoder.singleValueContainer()
            try value.encode(1)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(2, forKey: Key("a"))
        case .failing:
            throw Failure()
        case .sameContainer:
            var one = encoder.container(keyedBy: Key.self)
            try one.encode(1, forKey: Key("a"))
            var two = encoder.container(keyedBy: Key.self)
            try two.encode(2, forKey: Key("b"))
        default:
            var container = encoder.container(keyedBy: Key.self)
            try encode(into: &container)
        }
    }

    private func encode(into container: inout Container) throws {
        switch self {
        case .interleaved:
            var a = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            var b = container.nestedContainer(keyedBy: Key.self, forKey: Key("b"))
            try a.encode(1, forKey: Key("x"))
            try b.encode(2, forKey: Key("y"))
            try a.encode(3, forKey: Key("z"))
        case .outerFirst:
            var a = container.nestedContainer(keyedBy: Key.self, forKey: Key("a"))
            try container.encode(4, forKey: Key("c"))
            try a.encode(1, forKey: Key("x"))
        case .twice:
            try container.encode("first", forKey: Key("a"))
            try container.encode(1, forKey: Key("b"))
            try container.encode(2, forKey: Key("a"))
        case .manyTwice:
            for number in 0..<20 { try container.encode(0, forKey: Key("n\(number)")) }
            for number in 0..<20 { try container.encode(1, forKey: Key("n\(number)")) }
        case .unused:
            _ = container.superEncoder(forKey: Key("a"))
            _ = container.nestedContainer(keyedBy: Key.self, forKey: Key("b"))
            try container.encode(1, forKey: Key("c"))
        case .arrays:
            try encodeArrays(into: &container)
        default:
            try? container.encode(Unusual.failing, forKey: Key("a"))
            try container.encode(1, forKey: Key("b"))
            try? container.encode([Unusual.failing], forKey: Key("c"))
            var elements = container.nestedUnkeyedContainer(forKey: Key("d"))
            try? elements.encode(["x": Unusual.failing])
            try elements.encode(2)
        }
    }

    private func encodeArrays(into container: inout Container) throws {
        var elements = container.nestedUnkeyedContainer(forKey: Key("a"))
        try elements.encode(1)
        var inner = elements.nestedUnkeyedContainer()
        try inner.encode(contentsOf: [2, 3])
        var object = elements.nestedContainer(keyedBy: Key.self)
        try object.encode(elements.count + 1, forKey: Key("k"))
        try elements.encodeNil()
    }
}
