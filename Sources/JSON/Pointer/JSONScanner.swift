/// Finds values in encoded JSON without parsing the others. Every read is bounds-checked.
struct JSONScanner {
    private let start: UnsafeRawPointer
    private let count: Int
    private var position = 0

    init(start: UnsafeRawPointer, count: Int) {
        self.start = start
        self.count = count
    }

    /// Moves to the member or element that the token names, inside the next value.
    mutating func enter(_ token: String) -> Bool {
        if take(Byte.openBrace) {
            return enterMember(CodePointString(token))
        }
        if take(Byte.openBracket), let index = JSONPointer.index(token) {
            return enterElement(index)
        }
        return false
    }

    /// Skips the next value and returns its range; nil if there is none, or if it is incomplete.
    mutating func skipValue() -> Range<Int>? {
        skipWhitespace()
        let first = position
        let isComplete =
            switch peek() {
            case Byte.quote: skipString() != nil
            case Byte.openBrace, Byte.openBracket: skipContainer()
            default: skipScalar()
            }
        return isComplete ? first..<position : nil
    }

    /// Enters the next value if it is an object.
    mutating func enterObject() -> Bool { take(Byte.openBrace) }

    /// The next member, with its name as it is written between the quotes; nil behind the last one.
    mutating func nextMember() -> (name: Range<Int>, value: Range<Int>)? {
        skipWhitespace()
        let first = position
        guard peek() == Byte.quote, skipString() != nil else { return nil }
        let name = first + 1..<position - 1
        guard take(Byte.colon), let value = skipValue() else { return nil }
        _ = take(Byte.comma)
        return (name, value)
    }

    private mutating func enterMember(_ name: CodePointString) -> Bool {
        while peek() == Byte.quote {
            guard let isWanted = takeName(name), take(Byte.colon) else { return false }
            if isWanted {
                return true
            }
            guard skipValue() != nil, take(Byte.comma) else { return false }
            skipWhitespace()
        }
        return false
    }

    private mutating func enterElement(_ index: Int) -> Bool {
        skipWhitespace()
        guard peek() != Byte.closeBracket else { return false }
        for _ in 0..<index {
            guard skipValue() != nil, take(Byte.comma) else { return false }
        }
        return true
    }

    private func byte(at offset: Int) -> UInt8 {
        start.load(fromByteOffset: offset, as: UInt8.self)
    }

    private func peek() -> UInt8? {
        position < count ? byte(at: position) : nil
    }

    private mutating func skipWhitespace() {
        while let next = peek(), Byte.isWhitespace(next) {
            position += 1
        }
    }

    /// Consumes the next byte behind white space, and the white space behind it, if the byte equals `wanted`.
    private mutating func take(_ wanted: UInt8) -> Bool {
        skipWhitespace()
        guard peek() == wanted else { return false }
        position += 1
        skipWhitespace()
        return true
    }

    /// Skips a member's name and returns whether it equals `name`; nil if it is not terminated.
    private mutating func takeName(_ name: CodePointString) -> Bool? {
        let first = position
        guard let hasEscapes = skipString() else { return nil }
        let quoted = UnsafeRawBufferPointer(start: start + first, count: position - first)
        guard hasEscapes else {
            return name.matches(UnsafeRawBufferPointer(rebasing: quoted[1..<quoted.count - 1]))
        }
        guard case .string(let text)? = try? JSONValue(parsing: quoted) else { return nil }
        return CodePointString(text) == name
    }

    /// Skips a string, from its opening quote, and returns whether it has escapes; nil if it is not terminated.
    private mutating func skipString() -> Bool? {
        var hasEscapes = false
        position += 1
        while true {
            position = ByteWord.firstSpecial(in: start, from: position, to: count)
            guard let next = peek() else { return nil }
            position += 1
            if next == Byte.quote {
                return hasEscapes
            }
            if next == Byte.backslash {
                hasEscapes = true
                position = min(position + 1, count)
            }
        }
    }

    /// Skips an object or array, from its opening bracket; false if it is not terminated.
    private mutating func skipContainer() -> Bool {
        var depth = 0
        while let next = peek() {
            switch next {
            case Byte.quote:
                guard skipString() != nil else { return false }
                continue
            case Byte.openBrace, Byte.openBracket: depth += 1
            case Byte.closeBrace, Byte.closeBracket: depth -= 1
            default: break
            }
            position += 1
            if depth == 0 {
                return true
            }
        }
        return false
    }

    /// Skips a number, `true`, `false` or `null`; false if there is none.
    private mutating func skipScalar() -> Bool {
        let first = position
        while let next = peek(), Self.isScalarByte(next) {
            position += 1
        }
        return position > first
    }

    private static func isScalarByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), Byte.zero...Byte.nine: true
        case Byte.minus, Byte.plus, Byte.dot, Byte.upperE: true
        default: false
        }
    }
}
