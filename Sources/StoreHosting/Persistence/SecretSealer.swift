/// Seals what must not stand in clear where states are kept.
public protocol SecretSealer: Sendable {
    /// What only who has the key can read or make; nil where it cannot be made now, and `clear` has to be left out.
    func seal(_ clear: [UInt8]) -> [UInt8]?

    /// What was sealed; nil where it was sealed with another key, or changed since.
    func open(_ sealed: [UInt8]) -> [UInt8]?
}

/// Secrets as they stand in JSON: sealed, in base64.
enum Sealed {
    static func seal(_ text: String, by sealer: any SecretSealer) -> String? {
        sealer.seal(Array(text.utf8)).map(Base64.text)
    }

    static func open(_ text: String, by sealer: any SecretSealer) -> String? {
        Base64.bytes(of: text).flatMap(sealer.open).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// Bytes as text: base64 with padding (RFC 4648, section 4).
package enum Base64 {
    /// The text that stands for `bytes`.
    package static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let digit = Int(word >> (18 - 6 * UInt32(place)) & 63)
                text.append(place <= group.count ? alphabet[digit] : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` stands for; nil where it is not how ``text(of:)`` writes them.
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        for start in stride(from: 0, to: digits.count, by: 4) {
            var word: UInt32 = 0
            var count = 0
            for digit in digits[start..<start + 4] where digit != padding {
                guard let value = value(of: digit) else { return nil }
                word = word << 6 | value
                count += 1
            }
            guard count > 1 else { return nil }
            word <<= 6 * UInt32(4 - count)
            for place in 0..<(count - 1) { bytes.append(UInt8(truncatingIfNeeded: word >> (16 - 8 * UInt32(place)))) }
        }
        // One text for the same bytes: no stray padding, and no bits behind the last byte.
        return Self.text(of: bytes).utf8.elementsEqual(digits) ? bytes : nil
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
