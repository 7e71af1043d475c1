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
