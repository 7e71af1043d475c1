/// Bytes as text (RFC 4648): the form in which JSON holds binary data.
///
/// The cases are the two alphabets. The static functions use the standard alphabet with padding.
package enum Base64: Sendable {
    /// Section 4: the last two digits are `+` and `/`.
    case standard
    /// Section 5: the last two digits are `-` and `_`.
    case urlSafe

    /// The digit for a value below 64.
    @inlinable
    package func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: self == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
        default: self == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_")
        }
    }

    /// The value of a digit; nil for other bytes.
    @inlinable
    package func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case self.digit(62): 62
        case self.digit(63): 63
        default: nil
        }
    }

    private static let padding = UInt8(ascii: "=")

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let value = UInt8(truncatingIfNeeded: word >> (18 - 6 * UInt32(place)) & 63)
                text.append(place <= group.count ? standard.digit(value) : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that ``encode(_:)`` writes as this text; nil for any other text.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        for start in stride(from: 0, to: digits.count, by: 4) {
            var word: UInt32 = 0
            var count = 0
            for digit in digits[start..<start + 4] where digit != padding {
                guard let value = standard.value(of: digit) else { return nil }
                word = word << 6 | UInt32(value)
                count += 1
            }
            guard count > 1 else { return nil }
            word <<= 6 * UInt32(4 - count)
            for place in 0..<(count - 1) {
                bytes.append(UInt8(truncatingIfNeeded: word >> (16 - 8 * UInt32(place))))
            }
        }
        // Misplaced padding and stray bits behind the last byte do not survive this comparison.
        return encode(bytes).utf8.elementsEqual(digits) ? bytes : nil
    }
}
