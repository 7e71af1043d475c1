/// Walks over encoded JSON without reading more of it than it must. Every read is checked against the end.
struct JSONSkimmer {
    private let start: UnsafeRawPointer
    private let count: Int
    private var position = 0

    init(start: UnsafeRawPointer, count: Int) {
        self.start = start
        self.count = count
    }

    /// Goes to the member or element that the token names, in the value that comes next.
    mutating func enter(_ token: String) -> Bool {
        if take(Byte.openBrace) {
            return enterMember(ExactText(token))
        }
        if take(Byte.openBracket), let index = JSONPointer.index(token) {
            return enterElement(index)
        }
        return false
    }

    /// Skips the value that comes next and answers where it stands.
    mutating func skipValue() -> Range<Int>? {
        skipWhitespace()
        let first = position
        switch peek() {
        case Byte.quote: skipString()
        case Byte.openBrace, Byte.openBracket: skipContainer()
        default: skipScalar()
        }
        return position > first ? first..<position : nil
    }

    private mutating func enterMember(_ name: ExactText) -> Bool {
        while peek() == Byte.quote {
            let isWanted = takeName(name)
            guard take(Byte.colon) else { return false }
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

    /// Consumes the next byte that is no white space, if it is this one, and the white space behind it.
    private mutating func take(_ wanted: UInt8) -> Bool {
        skipWhitespace()
        guard peek() == wanted else { return false }
        position += 1
        skipWhitespace()
        return true
    }

    /// Skips a member's name; answers whether it is the one wanted.
    private mutating func takeName(_ name: ExactText) -> Bool {
        let first = position
        let hasEscapes = skipString()
        guard hasEscapes else {
            let content = UnsafeRawBufferPointer(start: start + first + 1, count: max(position - first - 2, 0))
            return name.matches(content)
        }
        let quoted = UnsafeRawBufferPointer(start: start + first, count: position - first)
        guard case .string(let text)? = try? JSONValue(parsing: quoted) else { return false }
        return ExactText(text) == name
    }

    /// Skips the string whose opening quote comes next; answers whether it has escapes.
    @discardableResult
    private mutating func skipString() -> Bool {
        var hasEscapes = false
        position += 1
        while let next = peek() {
            position += 1
            if next == Byte.quote {
                return hasEscapes
            }
            if next == Byte.backslash {
                hasEscapes = true
                position = min(position + 1, count)
            }
        }
        return hasEscapes
    }

    private mutating func skipContainer() {
        var depth = 0
        repeat {
            switch peek() {
            case Byte.quote:
                skipString()
                continue
            case Byte.openBrace, Byte.openBracket: depth += 1
            case Byte.closeBrace, Byte.closeBracket: depth -= 1
            case nil: return
            default: break
            }
            position += 1
        } while depth > 0
    }

    private mutating func skipScalar() {
        while let next = peek(), !Byte.isWhitespace(next) {
            switch next {
            case Byte.comma, Byte.closeBrace, Byte.closeBracket, Byte.colon, Byte.quote: return
            default: position += 1
            }
        }
    }
}
