/// The characters with a meaning in the HTTP grammar.
enum ASCII {
    static let null: UInt8 = 0x00
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let percent: UInt8 = 0x25
    static let ampersand: UInt8 = 0x26
    static let asterisk: UInt8 = 0x2A
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let nine: UInt8 = 0x39
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let question: UInt8 = 0x3F
    static let leftBracket: UInt8 = 0x5B
    static let backslash: UInt8 = 0x5C
    static let rightBracket: UInt8 = 0x5D
    static let delete: UInt8 = 0x7F
}

extension UInt8 {
    /// The byte with an ASCII capital letter in lower case.
    @inline(__always)
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit; nil for other bytes.
    @inline(__always)
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self &- 0x30
        case 0x41...0x46: self &- 0x37
        case 0x61...0x66: self &- 0x57
        default: nil
        }
    }

    /// Whether a field value may contain the byte: visible, space, tab or not ASCII (RFC 9110, section 5.5).
    @inline(__always)
    var isFieldContent: Bool { (self >= ASCII.space && self != ASCII.delete) || self == ASCII.tab }

    /// Whether the byte is SP or HTAB, the optional white space.
    @inline(__always)
    var isBlank: Bool { self == ASCII.space || self == ASCII.tab }
}

/// A set of ASCII characters as a bit set in two words, so that a lookup needs no memory access.
struct ByteClass: Sendable {
    private let low: UInt64
    private let high: UInt64

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 128 && (word &>> UInt64(byte)) & 1 == 1
    }

    /// `tchar` (RFC 9110, section 5.6.2): letters, digits and ``!#$%&'*+-.^_`|~``.
    @inline(__always)
    static var token: ByteClass { ByteClass(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// `pchar` without `%` (RFC 3986, section 3.3): letters, digits and `-._~!$&'()*+,;=:@`.
    @inline(__always)
    static var segment: ByteClass { ByteClass(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// The characters of a query without `%`: `segment`, `/`, `?`, and ``[]\^`{|}``, which browsers do not encode there
    /// (WHATWG URL).
    @inline(__always)
    static var query: ByteClass { ByteClass(low: 0xAFFF_FFD2_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF) }

    /// `reg-name` without `%` (RFC 3986, section 3.2.2): letters, digits and `-._~!$&'()*+,;=`.
    @inline(__always)
    static var registeredName: ByteClass { ByteClass(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// Decimal digits.
    @inline(__always)
    static var digit: ByteClass { ByteClass(low: 0x03FF_0000_0000_0000, high: 0) }

    /// The characters between the brackets of an IP literal: hexadecimal digits, `:` and `.`.
    @inline(__always)
    static var address: ByteClass { ByteClass(low: 0x07FF_4000_0000_0000, high: 0x0000_007E_0000_007E) }
}

extension UnsafeRawBufferPointer {
    /// The first offset in `start..<end` whose byte is below `floor` or is DEL; `end` if there is none.
    ///
    /// Examines eight bytes at a time: the subtraction sets the top bit of a byte below `floor`, and false positives
    /// occur only behind the first match. `end` must not exceed `count`, and `floor` must not exceed 0x80.
    @inline(__always)
    func firstControl(from start: Int, to end: Int, below floor: UInt8) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let low = (word &- ones &* UInt64(floor)) & ~word
            let flipped = word ^ (ones &* UInt64(ASCII.delete))
            let hits = (low | ((flipped &- ones) & ~flipped)) & tops
            if hits != 0 { return index &+ hits.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < end, self[index] >= floor, self[index] != ASCII.delete { index &+= 1 }
        return index
    }

    /// The first offset in `start..<end` whose byte is not in `allowed`; `end` if there is none.
    ///
    /// Skips letters, digits, hyphens and dots eight bytes at a time. `allowed` must contain them, and `end` must not exceed
    /// `count`.
    @inline(__always)
    func end(of allowed: ByteClass, from start: Int, to end: Int) -> Int {
        var index = start
        while index &+ 8 <= end {
            let others = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self)).otherBytes
            if others == 0 {
                index &+= 8
                continue
            }
            index &+= others.trailingZeroBitCount >> 3
            guard allowed.contains(self[index]) else { return index }
            index &+= 1
        }
        while index < end, allowed.contains(self[index]) { index &+= 1 }
        return index
    }

    /// Whether the bytes in the range equal this ASCII text, which must be in lower case if case is ignored.
    @inline(__always)
    func hasText(_ text: StaticString, in range: Range<Int>, ignoringCase: Bool = true) -> Bool {
        let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return hasText(text, in: range, ignoringCase: ignoringCase)
    }

    /// Whether the bytes in the range equal a text that is no constant. It must be in lower case if case is ignored.
    @inline(__always)
    func hasText(_ text: UnsafeRawBufferPointer, in range: Range<Int>, ignoringCase: Bool = true) -> Bool {
        guard range.count == text.count, range.upperBound <= count else { return false }
        guard let text = text.baseAddress else { return true }
        return ignoringCase ? equalsIgnoringCase(text, in: range) : equals(text, in: range)
    }

    @inline(never)
    private func equals(_ text: UnsafeRawPointer, in range: Range<Int>) -> Bool { equals(text, in: range) { $0 } }

    @inline(never)
    private func equalsIgnoringCase(_ text: UnsafeRawPointer, in range: Range<Int>) -> Bool {
        equals(text, in: range) { $0.lowercasedBytes }
    }

    /// - Parameter fold: maps letters that differ only in case to the same bytes, or returns the bytes as they are.
    @inline(__always)
    private func equals(_ text: UnsafeRawPointer, in range: Range<Int>, _ fold: (UInt64) -> UInt64) -> Bool {
        guard let start = baseAddress else { return range.isEmpty }
        let (own, last) = (start + range.lowerBound, range.count &- 8)
        guard last >= 0 else { return Self.areEqual(own, text, count: range.count, fold) }
        var offset = 0
        while true {
            let word = own.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard fold(word) == text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else {
                return false
            }
            if offset == last { return true }
            // The last word may overlap the one before.
            offset = Swift.min(offset &+ 8, last)
        }
    }

    /// Compares fewer than eight bytes. From four on they are two words of four, which may overlap.
    @inline(__always)
    private static func areEqual(
        _ own: UnsafeRawPointer, _ text: UnsafeRawPointer, count: Int, _ fold: (UInt64) -> UInt64
    ) -> Bool {
        guard count >= 4 else {
            for offset in 0..<count {
                let byte = UInt64(own.load(fromByteOffset: offset, as: UInt8.self))
                guard fold(byte) == UInt64(text.load(fromByteOffset: offset, as: UInt8.self)) else { return false }
            }
            return true
        }
        return fold(word(own, count: count)) == word(text, count: count)
    }

    /// The first four bytes and the last four of `count`.
    private static func word(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        let (first, last) = (
            bytes.loadUnaligned(as: UInt32.self), bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
        )
        return UInt64(first) | UInt64(last) << 32
    }
}

extension UInt64 {
    /// The top bit of each byte that is no ASCII letter, digit, hyphen or dot.
    ///
    /// The top bits are cleared first, so that each addition sets the top bit of bytes from a bound on, and never carries into
    /// the next byte.
    fileprivate var otherBytes: UInt64 {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let rest = self & ~tops
        let letters = rest | ones &* 0x20
        let (fromA, behindZ) = (letters &+ ones &* 0x1F, letters &+ ones &* 0x05)
        // From hyphen to nine there is one other: the slash, for which this sum is 0x7F.
        let (fromHyphen, behindNine) = (rest &+ ones &* 0x53, rest &+ ones &* 0x46)
        let noSlash = (rest ^ ones &* UInt64(ASCII.slash)) &+ ones &* 0x7F
        return (~(fromA & ~behindZ | fromHyphen & ~behindNine & noSlash) | self) & tops
    }

    /// The eight bytes with ASCII capital letters in lower case.
    ///
    /// The top bits are cleared first. Each addition then sets the top bit of bytes from `A` on, or of bytes after `Z`,
    /// and never carries into the next byte.
    fileprivate var lowercasedBytes: UInt64 {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let rest = self & ~tops
        let (fromA, behindZ) = (rest &+ ones &* 0x3F, rest &+ ones &* 0x25)
        return self | (fromA & ~behindZ & ~self & tops) >> 2
    }
}

/// Parses decimal digits: no sign, no white space, no list.
enum DecimalNumber {
    /// The number, clamped to `Int.max`; nil unless the bytes are one or more digits.
    static func parse(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        parse(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    /// The number, clamped to `Int.max`; nil unless the bytes are one or more digits.
    static func parse(_ bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        var number = 0
        for byte in bytes {
            guard byte >= ASCII.zero, byte <= ASCII.nine else { return nil }
            let (product, tooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, tooLargeToo) = product.addingReportingOverflow(Int(byte - ASCII.zero))
            number = tooLarge || tooLargeToo ? Int.max : sum
        }
        return number
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func appendText(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a text. The contiguous storage, which nearly every string has, is several times faster to append.
    @inline(__always)
    mutating func appendText(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil {
            append(contentsOf: text.utf8)
        }
    }

    /// - Parameter number: must not be negative.
    mutating func appendDecimal(_ number: Int) { appendDigits(number.magnitude, radix: 10) }

    /// Appends lower-case digits.
    ///
    /// - Parameter number: must not be negative.
    mutating func appendHexadecimal(_ number: Int) { appendDigits(number.magnitude, radix: 16) }

    /// Recursive, so that the digits need not be reversed.
    private mutating func appendDigits(_ number: UInt, radix: UInt) {
        let (rest, last) = number.quotientAndRemainder(dividingBy: radix)
        if rest > 0 { appendDigits(rest, radix: radix) }
        let digit = UInt8(truncatingIfNeeded: last)
        append(digit < 10 ? ASCII.zero + digit : 0x57 + digit)
    }
}
