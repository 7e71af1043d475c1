/// The bytes with a meaning in the JSON grammar.
@usableFromInline
enum Byte {
    @inlinable static var tab: UInt8 { 0x09 }
    @inlinable static var lineFeed: UInt8 { 0x0A }
    @inlinable static var carriageReturn: UInt8 { 0x0D }
    @inlinable static var space: UInt8 { 0x20 }
    @inlinable static var quote: UInt8 { 0x22 }
    @inlinable static var comma: UInt8 { 0x2C }
    @inlinable static var plus: UInt8 { 0x2B }
    @inlinable static var minus: UInt8 { 0x2D }
    @inlinable static var dot: UInt8 { 0x2E }
    @inlinable static var zero: UInt8 { 0x30 }
    @inlinable static var nine: UInt8 { 0x39 }
    @inlinable static var colon: UInt8 { 0x3A }
    @inlinable static var upperE: UInt8 { 0x45 }
    @inlinable static var openBracket: UInt8 { 0x5B }
    @inlinable static var backslash: UInt8 { 0x5C }
    @inlinable static var closeBracket: UInt8 { 0x5D }
    @inlinable static var lowerE: UInt8 { 0x65 }
    @inlinable static var lowerU: UInt8 { 0x75 }
    @inlinable static var openBrace: UInt8 { 0x7B }
    @inlinable static var closeBrace: UInt8 { 0x7D }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == space || byte == lineFeed || byte == carriageReturn || byte == tab
    }

    /// Whether the byte must be escaped in a JSON string.
    @inlinable
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte < space || byte == quote || byte == backslash
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= zero && byte <= nine
    }
}

/// Examines eight bytes at a time.
@usableFromInline
enum ByteWord {
    @inlinable static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Sets the high bit of each byte that must be escaped in a JSON string: quote, backslash, control character. Only
    /// the lowest bit set is reliable.
    @inlinable @inline(__always)
    static func specials(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let isQuote = (quotes &- ones) & ~quotes
        let isBackslash = (backslashes &- ones) & ~backslashes
        let isControl = (word &- (ones &* 0x20)) & ~word
        return (isQuote | isBackslash | isControl) & highBits
    }

    /// The offset, from `position` on, of the first byte that must be escaped or has one of the bits of `mask`; `end`
    /// if there is none.
    @inline(__always)
    static func firstSpecial(
        in start: UnsafeRawPointer, from position: Int, to end: Int, orBits mask: UInt64 = 0
    ) -> Int {
        var position = position
        while end - position >= 8 {
            let word = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let stops = specials(in: word) | (word & mask)
            guard stops == 0 else { return position + stops.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < end {
            let byte = start.load(fromByteOffset: position, as: UInt8.self)
            guard !Byte.needsEscape(byte), UInt64(byte) & mask == 0 else { return position }
            position += 1
        }
        return position
    }
}
