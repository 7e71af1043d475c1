/// A set of ASCII characters as two words of bits, so that membership is a shift and not a look into memory.
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

    /// What may stand in a query: `segment`, `/`, `?`, and ``[]\^`{|}``, which browsers send there as they are
    /// (WHATWG URL) and which mean nothing else.
    @inline(__always)
    static var query: ByteClass { ByteClass(low: 0xAFFF_FFD2_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF) }

    /// `reg-name` without `%` (RFC 3986, section 3.2.2): letters, digits and `-._~!$&'()*+,;=`.
    @inline(__always)
    static var registeredName: ByteClass { ByteClass(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// Decimal digits.
    @inline(__always)
    static var digit: ByteClass { ByteClass(low: 0x03FF_0000_0000_0000, high: 0) }

    /// What stands between the brackets of an IP literal: hexadecimal digits, `:` and `.`.
    @inline(__always)
    static var address: ByteClass { ByteClass(low: 0x07FF_4000_0000_0000, high: 0x0000_007E_0000_007E) }
}
