/// A recursive descent parser over bytes in memory. The nesting is limited, and every read is bounds-checked.
struct JSONParser {
    let start: UnsafeRawPointer
    let count: Int
    var position = 0
    private var depthLeft: Int

    init(start: UnsafeRawPointer, count: Int, maximumDepth: Int) {
        self.start = start
        self.count = count
        depthLeft = maximumDepth
    }

    mutating func parseDocument() throws(JSONSyntaxError) -> JSONValue {
        try rejectByteOrderMark()
        skipWhitespace()
        guard position < count else { throw JSONSyntaxError(.empty, at: position) }
        let value = try parseValue()
        skipWhitespace()
        guard position == count else { throw JSONSyntaxError(.trailingBytes, at: position) }
        return value
    }

    /// - Parameter offset: must be below `count`.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        start.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// Returns the next byte without consuming it.
    @inline(__always)
    func peek() throws(JSONSyntaxError) -> UInt8 {
        guard position < count else { throw JSONSyntaxError(.unexpectedEnd, at: position) }
        return byte(at: position)
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < count, Byte.isWhitespace(byte(at: position)) {
            position += 1
        }
    }

    private func rejectByteOrderMark() throws(JSONSyntaxError) {
        guard count >= 3, byte(at: 0) == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF else { return }
        throw JSONSyntaxError(.byteOrderMark, at: 0)
    }

    private mutating func parseValue() throws(JSONSyntaxError) -> JSONValue {
        let first = try peek()
        switch first {
        case Byte.quote: return .string(try parseString())
        case Byte.openBrace: return .object(try parseObject())
        case Byte.openBracket: return .array(try parseArray())
        case Byte.minus, Byte.zero...Byte.nine: return try parseNumber()
        case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", .null)
        default: throw JSONSyntaxError(.unexpectedByte(first), at: position)
        }
    }

    private mutating func parseLiteral(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        for index in 0..<text.utf8CodeUnitCount {
            try expect(text.utf8Start[index])
        }
        return value
    }

    @inline(__always)
    private mutating func expect(_ wanted: UInt8) throws(JSONSyntaxError) {
        let found = try peek()
        guard found == wanted else { throw JSONSyntaxError(.unexpectedByte(found), at: position) }
        position += 1
    }

    /// Consumes the next byte if it equals `wanted`.
    @inline(__always)
    private mutating func take(_ wanted: UInt8) -> Bool {
        guard position < count, byte(at: position) == wanted else { return false }
        position += 1
        return true
    }

    private mutating func enter() throws(JSONSyntaxError) {
        guard depthLeft > 0 else { throw JSONSyntaxError(.tooDeep, at: position) }
        depthLeft -= 1
        position += 1
        skipWhitespace()
    }

    private mutating func parseObject() throws(JSONSyntaxError) -> JSONObject {
        try enter()
        defer { depthLeft += 1 }
        guard !take(Byte.closeBrace) else { return JSONObject() }
        var object = JSONObject(reservingCapacity: 2)
        while true {
            try parseMember(into: &object)
            guard take(Byte.comma) else { break }
            skipWhitespace()
        }
        try expect(Byte.closeBrace)
        return object
    }

    @inline(__always)
    private mutating func parseMember(into object: inout JSONObject) throws(JSONSyntaxError) {
        let nameOffset = position
        guard try peek() == Byte.quote else { throw JSONSyntaxError(.unexpectedByte(byte(at: position)), at: position) }
        let name = try parseString()
        guard object.slot(of: name) == nil else { throw JSONSyntaxError(.duplicateName, at: nameOffset) }
        skipWhitespace()
        try expect(Byte.colon)
        skipWhitespace()
        object.appendNew(name, try parseValue())
        skipWhitespace()
    }

    private mutating func parseArray() throws(JSONSyntaxError) -> [JSONValue] {
        try enter()
        defer { depthLeft += 1 }
        guard !take(Byte.closeBracket) else { return [] }
        var elements: [JSONValue] = []
        while true {
            elements.append(try parseValue())
            skipWhitespace()
            guard take(Byte.comma) else { break }
            skipWhitespace()
        }
        try expect(Byte.closeBracket)
        return elements
    }
}

extension JSONParser {
    mutating func parseNumber() throws(JSONSyntaxError) -> JSONValue {
        let first = position
        let isNegative = byte(at: position) == Byte.minus
        if isNegative {
            position += 1
        }
        let integer = try parseIntegerPart(isNegative: isNegative)
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
        // `-0` keeps its text: no integer has a negative zero.
        if isPlain, let integer, integer != 0 || !isNegative {
            return .integer(integer)
        }
        let text = UnsafeRawBufferPointer(start: start + first, count: position - first)
        return .number(JSONNumber(validText: String(decoding: text, as: UTF8.self)))
    }

    /// Parses the digits before the decimal point; nil if the integer does not fit 64 bits.
    private mutating func parseIntegerPart(isNegative: Bool) throws(JSONSyntaxError) -> Int? {
        let first = position
        guard Byte.isDigit(try peek()) else { throw JSONSyntaxError(.invalidNumber, at: position) }
        var magnitude: UInt64 = 0
        while position < count, Byte.isDigit(byte(at: position)) {
            // Can wrap only beyond 19 digits, which are rejected below.
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

extension JSONValue {
    /// The upper bound of every limit on nesting, so that no document can exhaust a thread's stack.
    package static let maxDepth = 512

    /// Parses strict JSON (RFC 8259) in time linear in the bytes.
    ///
    /// A byte order mark, a duplicate member name and an unpaired surrogate, which the RFC leaves to implementations,
    /// are errors. Integers of 64 bits stay exact.
    /// - Parameters:
    ///   - bytes: one value in UTF-8, optionally surrounded by white space.
    ///   - maximumDepth: how deep objects and arrays may be nested, at most ``maxDepth``.
    package init(parsing bytes: UnsafeRawBufferPointer, maximumDepth: Int = 64) throws(JSONSyntaxError) {
        guard let start = bytes.baseAddress else { throw JSONSyntaxError(.empty, at: 0) }
        var parser = JSONParser(start: start, count: bytes.count, maximumDepth: min(maximumDepth, Self.maxDepth))
        self = try parser.parseDocument()
    }

    /// Parses strict JSON (RFC 8259), as `init(parsing:maximumDepth:)` for raw bytes does.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONSyntaxError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONSyntaxError) in
            try JSONValue(parsing: UnsafeRawBufferPointer(buffer), maximumDepth: maximumDepth)
        }
    }

    /// Parses strict JSON (RFC 8259), as `init(parsing:maximumDepth:)` for raw bytes does. Offsets count UTF-8 bytes.
    public init(parsing text: String, maximumDepth: Int = 64) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
    }
}
