extension JSONParser {
    /// Parses the string whose opening quote is at `position`.
    @inline(__always)
    mutating func parseString() throws(JSONSyntaxError) -> String {
        position += 1
        let first = position
        guard try skipToQuoteOrBackslash() == Byte.quote else { return try parseEscapedString(from: first) }
        let content = bytes(from: first)
        position += 1
        return String(decoding: content, as: UTF8.self)
    }

    /// Continues at the first backslash of a string whose content starts at `first`.
    private mutating func parseEscapedString(from first: Int) throws(JSONSyntaxError) -> String {
        var text = Array(bytes(from: first))
        while byte(at: position) == Byte.backslash {
            text.append(contentsOf: try parseEscape().utf8)
            let run = position
            _ = try skipToQuoteOrBackslash()
            text.append(contentsOf: bytes(from: run))
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    private func bytes(from first: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: (start + first).assumingMemoryBound(to: UInt8.self), count: position - first)
    }

    /// Validates and skips unescaped text; returns the quote or backslash behind it.
    @inline(__always)
    private mutating func skipToQuoteOrBackslash() throws(JSONSyntaxError) -> UInt8 {
        while true {
            position = ByteWord.firstSpecial(in: start, from: position, to: count, orBits: ByteWord.highBits)
            let found = try peek()
            switch found {
            case Byte.quote, Byte.backslash: return found
            case 0x80...: try skipNonASCII()
            default: throw JSONSyntaxError(.controlCharacter, at: position)
            }
        }
    }

    /// Validates and skips one code point of two to four bytes (RFC 3629 section 4).
    private mutating func skipNonASCII() throws(JSONSyntaxError) {
        let lead = byte(at: position)
        let (length, second): (Int, ClosedRange<UInt8>)
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONSyntaxError(.invalidUTF8, at: position)
        }
        guard position + length <= count, second.contains(byte(at: position + 1)) else {
            throw JSONSyntaxError(.invalidUTF8, at: position)
        }
        for offset in 2..<max(length, 2) where byte(at: position + offset) & 0xC0 != 0x80 {
            throw JSONSyntaxError(.invalidUTF8, at: position)
        }
        position += length
    }

    private mutating func parseEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let backslash = position
        position += 1
        let letter = try peek()
        if letter == Byte.lowerU {
            return try parseUnicodeEscape(from: backslash)
        }
        guard let meaning = Self.meaning(ofEscape: letter) else {
            throw JSONSyntaxError(.invalidEscape, at: backslash)
        }
        position += 1
        return Unicode.Scalar(meaning)
    }

    /// Parses one `\u` escape, or both escapes of a surrogate pair.
    private mutating func parseUnicodeEscape(from backslash: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
        let unit = try parseHexadecimal(escapeAt: backslash)
        if let scalar = Unicode.Scalar(unit) {
            return scalar
        }
        guard unit < 0xDC00, position + 2 <= count, byte(at: position) == Byte.backslash,
            byte(at: position + 1) == Byte.lowerU
        else {
            throw JSONSyntaxError(.loneSurrogate, at: backslash)
        }
        position += 1
        let second = try parseHexadecimal(escapeAt: position - 1)
        guard second & 0xFC00 == 0xDC00,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
        else {
            throw JSONSyntaxError(.loneSurrogate, at: backslash)
        }
        return scalar
    }

    /// Parses `u` and four hexadecimal digits.
    private mutating func parseHexadecimal(escapeAt backslash: Int) throws(JSONSyntaxError) -> UInt32 {
        position += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Self.hexadecimal(try peek()) else { throw JSONSyntaxError(.invalidEscape, at: backslash) }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case Byte.zero...Byte.nine: UInt32(byte - Byte.zero)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The byte that a backslash and this letter stand for.
    private static func meaning(ofEscape letter: UInt8) -> UInt8? {
        switch letter {
        case Byte.quote, Byte.backslash, UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): Byte.lineFeed
        case UInt8(ascii: "r"): Byte.carriageReturn
        case UInt8(ascii: "t"): Byte.tab
        default: nil
        }
    }
}
