/// A recursive descent over bytes that stay in place. Its depth is bounded, every read is checked against the end.
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
        try refuseByteOrderMark()
        skipWhitespace()
        guard position < count else { throw JSONSyntaxError(.empty, at: position) }
        let value = try parseValue()
        skipWhitespace()
        guard position == count else { throw JSONSyntaxError(.trailingBytes, at: position) }
        return value
    }

    /// The byte at an offset below `count`.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 {
        start.load(fromByteOffset: offset, as: UInt8.self)
    }

    /// The byte that comes next, not consumed.
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

    private func refuseByteOrderMark() throws(JSONSyntaxError) {
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

    /// Consumes the next byte if it is this one.
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
        guard object.position(of: name) == nil else { throw JSONSyntaxError(.duplicateName, at: nameOffset) }
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
