extension JSONParser {
    mutating func parseNumber() throws(JSONSyntaxError) -> JSONValue {
        let first = position
        let isNegative = byte(at: position) == Byte.minus
        if isNegative {
            position += 1
        }
        let integer = try parseWhole(isNegative: isNegative)
        var isPlain = true
        if position < count, byte(at: position) == Byte.dot {
            isPlain = false
            position += 1
            try skipDigits()
        }
        if position < count, byte(at: position) | 0x20 == Byte.lowerE {
            isPlain = false
            try skipExponent()
        }
        if isPlain, let integer {
            return .integer(integer)
        }
        let text = UnsafeRawBufferPointer(start: start + first, count: position - first)
        return .number(JSONNumber(validText: String(decoding: text, as: UTF8.self)))
    }

    /// The digits before the point; nil where they are more than 64 bits hold.
    private mutating func parseWhole(isNegative: Bool) throws(JSONSyntaxError) -> Int? {
        let first = position
        guard Byte.isDigit(try peek()) else { throw JSONSyntaxError(.invalidNumber, at: position) }
        var magnitude: UInt64 = 0
        while position < count, Byte.isDigit(byte(at: position)) {
            // Wraps only beyond 19 digits, which are refused below.
            magnitude = magnitude &* 10 &+ UInt64(byte(at: position) &- Byte.zero)
            position += 1
        }
        let digits = position - first
        guard digits == 1 || byte(at: first) != Byte.zero else {
            throw JSONSyntaxError(.invalidNumber, at: first + 1)
        }
        return digits <= 19 ? Int(magnitude: magnitude, isNegative: isNegative) : nil
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        guard Byte.isDigit(try peek()) else { throw JSONSyntaxError(.invalidNumber, at: position) }
        while position < count, Byte.isDigit(byte(at: position)) {
            position += 1
        }
    }

    private mutating func skipExponent() throws(JSONSyntaxError) {
        position += 1
        let sign = try peek()
        if sign == Byte.plus || sign == Byte.minus {
            position += 1
        }
        try skipDigits()
    }
}
