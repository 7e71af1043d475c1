import JSON

/// Addresses a session, and gives the right to use it: 128 random bits of the system, as 22 characters of URL-safe
/// base64 without padding (RFC 4648, section 5).
package struct SessionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    /// A new id, which cannot be guessed.
    package static func random() -> SessionID {
        var generator = SystemRandomNumberGenerator()
        return SessionID(high: generator.next(), low: generator.next())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads an id; nil for any other text, also for another spelling of an id.
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

    /// The place behind the id in a list, as text that is no id: an id in a query would be in the logs of proxies.
    var cursor: String { SessionID(high: ~high, low: ~low).description }

    init?(cursor: String) {
        guard let inverted = SessionID(cursor.utf8) else { return nil }
        self.init(high: ~inverted.high, low: ~inverted.low)
    }

    /// The order of the ids as text.
    package static func < (left: SessionID, right: SessionID) -> Bool { left.order < right.order }

    /// The id with each character replaced by its position in ASCII order, in which the alphabet is not.
    var order: UInt128 {
        let bits = UInt128(high) << 64 | UInt128(low)
        var order: UInt128 = 0
        for index in 0..<21 {
            let value = Int(truncatingIfNeeded: bits >> UInt128(122 - index * 6)) & 0x3f
            order = order << 6 | UInt128(Self.positions[value])
        }
        // The last character carries two bits, whose letters are in ASCII order.
        return order << 2 | bits & 3
    }

    /// Ids fall into that many ranges.
    static let rangeCount = 1024

    /// The range that the id is in: a greater id is in the same range or a later one.
    var range: Int {
        // The first character, and four of the six bits of the second.
        Int(Self.positions[Int(high >> 58)]) << 4 | Int(Self.positions[Int(high >> 52 & 0x3f)]) >> 2
    }

    private static let positions: [UInt8] = {
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
