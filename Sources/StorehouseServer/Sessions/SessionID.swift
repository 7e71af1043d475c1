import JSON

/// Addresses a session and is the right to use it: 128 bits of the system's generator, as 22 characters of URL-safe
/// base64 without padding (RFC 4648, section 5).
package struct SessionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// A new id, which nobody can guess.
    package static func random() -> SessionID {
        var generator = SystemRandomNumberGenerator()
        return SessionID(high: generator.next(), low: generator.next())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads an id; nil where the text is none, also where it is another spelling of one.
    package init?(_ text: some Collection<UInt8>) {
        guard text.count == 22 else { return nil }
        var bits: UInt128 = 0
        var last: UInt8 = 0
        for byte in text {
            guard let value = Base64.urlSafe.value(of: byte) else { return nil }
            bits = bits << 6 | UInt128(last)
            last = value
        }
        // The last character carries two bits of the id; its other four must be zero.
        guard last & 0x0f == 0 else { return nil }
        bits = bits << 2 | UInt128(last >> 4)
        high = UInt64(truncatingIfNeeded: bits >> 64)
        low = UInt64(truncatingIfNeeded: bits)
    }

    /// In the order of their texts.
    package static func < (left: SessionID, right: SessionID) -> Bool { left.order < right.order }

    /// The places of the characters in the order of ASCII, where the alphabet has another one.
    private var order: UInt128 {
        let bits = UInt128(high) << 64 | UInt128(low)
        var order: UInt128 = 0
        for index in 0..<21 {
            let value = Int(truncatingIfNeeded: bits >> UInt128(122 - index * 6)) & 0x3f
            order = order << 6 | UInt128(Self.places[value])
        }
        // The last character carries two bits, whose letters stand in the same order.
        return order << 2 | bits & 3
    }

    private static let places: [UInt8] = {
        let digits = (0..<64).map { Base64.urlSafe.digit($0) }
        return digits.map { digit in UInt8(digits.count { $0 < digit }) }
    }()

    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(22)
        for index in 0..<22 {
            let shift = 122 - index * 6
            let value: UInt64
            if shift >= 64 {
                value = high >> UInt64(shift - 64)
            } else if shift >= 0 {
                value = low >> UInt64(shift) | (shift > 58 ? high << UInt64(64 - shift) : 0)
            } else {
                value = low << 4
            }
            text.append(Base64.urlSafe.digit(UInt8(value & 0x3f)))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
