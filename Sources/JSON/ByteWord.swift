/// Eight bytes looked at in one step.
@usableFromInline
enum ByteWord {
    @inlinable static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Sets the high bit of each byte that cannot stand in a JSON string as it is: quote, backslash, control
    /// character. Bits above the lowest one set may be wrong.
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
    /// Where the first byte stands, from `position` on, that is special in a string or has one of the bits of `mask`;
    /// `end` if there is none.
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
