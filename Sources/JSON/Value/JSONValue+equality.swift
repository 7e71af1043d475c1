extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): CodePointString(left) == CodePointString(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(CodePointString(text))
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONValue {
    /// Whether the values are equal as RFC 6902 section 4.6 has it: as `==`, but for numbers, whose texts may differ.
    func isWorth(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer, .number), (.number, .integer), (.number, .number):
            self == other || NormalizedDecimal(description) == NormalizedDecimal(other.description)
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isWorth($1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { right[$0.name]?.isWorth($0.value) == true }
        default: self == other
        }
    }
}

/// What a number is worth, exactly, however long it is: its digits without zeros around them, times a power of ten.
private struct NormalizedDecimal: Equatable {
    private var isNegative = false
    private var digits: [UInt8] = []
    private var exponent = 0

    /// - Parameter text: a number of JSON.
    init(_ text: String) {
        var isFraction = false
        var written = text.utf8[...]
        if let mark = written.firstIndex(where: { $0 | 0x20 == Byte.lowerE }) {
            exponent = Self.exponent(written[mark...].dropFirst())
            written = written[..<mark]
        }
        for byte in written {
            switch byte {
            case Byte.minus: isNegative = true
            case Byte.dot: isFraction = true
            default:
                exponent -= isFraction ? 1 : 0
                if byte != Byte.zero || !digits.isEmpty { digits.append(byte) }
            }
        }
        while digits.last == Byte.zero {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }

    /// What is beyond any text's length is cut off there.
    private static func exponent(_ text: Substring.UTF8View) -> Int {
        var magnitude = 0
        for byte in text where Byte.isDigit(byte) {
            magnitude = min(magnitude * 10 + Int(byte - Byte.zero), 1 << 50)
        }
        return text.first == Byte.minus ? -magnitude : magnitude
    }
}
