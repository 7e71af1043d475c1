import JSON

/// Random numbers that are the same in every run (SplitMix64).
struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension RandomSource {
    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &self) {
        case 0: .null
        case 1: .bool(.random(using: &self))
        case 2: .integer(integer())
        case 3: number()
        case 4, 5: .string(string())
        case 6: .array((0..<count()).map { _ in value(depth: depth - 1) })
        default: object(depth: depth)
        }
    }

    mutating func object(depth: Int) -> JSONValue {
        .object(JSONObject((0..<count()).map { _ in (string(), value(depth: depth - 1)) }))
    }

    mutating func string() -> String {
        let alphabet: [String] = [
            "a", "b", "/", "~", "0", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "e\u{301}", "\u{2028}", "漢",
            "👩‍👧",
        ]
        return (0..<Int.random(in: 0...20, using: &self)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &self)]
        }.joined()
    }

    /// Mostly small, sometimes above the threshold for an index.
    private mutating func count() -> Int {
        Int.random(in: 0..<20, using: &self) == 0 ? 40 : .random(in: 0...4, using: &self)
    }

    private mutating func integer() -> Int {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: [Int.min, Int.max, 0, -1, 9, 10, 99, 100].randomElement(using: &self) ?? 0
        case 1: .random(in: .min ... .max, using: &self)
        default: .random(in: -1000...1000, using: &self)
        }
    }

    private mutating func number() -> JSONValue {
        let value = Double(bitPattern: .random(in: 0 ... .max, using: &self))
        return JSONNumber(value).map(JSONValue.number) ?? .null
    }
}

extension RandomSource {
    /// The value with a part of it changed, added or removed.
    mutating func changed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(var elements):
            let index = Int.random(in: 0...elements.count, using: &self)
            guard index < elements.count, Bool.random(using: &self) else {
                elements.insert(self.value(depth: 1), at: index)
                return .array(elements)
            }
            if Bool.random(using: &self) {
                elements.remove(at: index)
            } else {
                elements[index] = changed(elements[index])
            }
            return .array(elements)
        case .object(var object):
            guard let name = object.names.randomElement(using: &self), Int.random(in: 0..<4, using: &self) > 0 else {
                object[string()] = self.value(depth: 1)
                return .object(object)
            }
            object[name] = Int.random(in: 0..<3, using: &self) == 0 ? nil : object[name].map { changed($0) }
            return .object(object)
        default: return self.value(depth: 1)
        }
    }
}
