import JSON

/// Addresses a session, and gives the right to use it: 22 to 64 characters of URL-safe base64 (RFC 4648, section 5).
///
/// The server's own ids are 128 random bits of the system, as 22 characters without padding. Clients may generate others.
package struct SessionID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// How many characters an id has.
    package static let length = 22...64

    /// The first 21 characters, and the upper two bits of the next.
    private let high: UInt64
    private let low: UInt64
    /// The whole text, if these bits are not all of the id. Nearly all ids are made by servers, and need no memory for it.
    private let text: Text?

    private final class Text: Sendable {
        let characters: [UInt8]

        init(_ characters: [UInt8]) { self.characters = characters }
    }

    /// A new id, which cannot be guessed.
    package static func random() -> SessionID {
        var generator = SystemRandomNumberGenerator()
        return SessionID(high: generator.next(), low: generator.next())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
        text = nil
    }

    /// Reads an id; nil for any other text.
    package init?(_ text: some Collection<UInt8>) { self.init(Array(text)[...]) }

    /// Reads an id of a path; nil for any other text.
    package init?(_ text: ArraySlice<UInt8>) {
        guard let (bits, isAll) = text.withUnsafeBufferPointer(Self.bits) else { return nil }
        high = UInt64(truncatingIfNeeded: bits >> 64)
        low = UInt64(truncatingIfNeeded: bits)
        self.text = isAll ? nil : Text(Array(text))
    }

    /// The first 21 characters and the upper two bits of the next, and whether this is all of the id; nil if the text is no
    /// id.
    private static func bits(_ text: UnsafeBufferPointer<UInt8>) -> (bits: UInt128, isAll: Bool)? {
        guard length.contains(text.count) else { return nil }
        // The letters of an id are random, so a branch for each would often be predicted wrong.
        return values.withUnsafeBufferPointer { values in
            var (high, middle, all): (UInt64, UInt64, UInt8) = (0, 0, 0)
            for index in 0..<10 {
                let (first, second) = (values[Int(text[index])], values[Int(text[index + 10])])
                high = high << 6 | UInt64(first)
                middle = middle << 6 | UInt64(second)
                all |= first | second
            }
            for index in 20..<text.count { all |= values[Int(text[index])] }
            guard all & invalid == 0 else { return nil }
            let (low, last) = (values[Int(text[20])], values[Int(text[21])])
            let bits = UInt128(high) << 68 | UInt128(middle) << 8 | UInt128(low << 2 | last >> 4)
            return (bits, text.count == 22 && last & 0x0f == 0)
        }
    }

    private static let invalid: UInt8 = 0x80

    /// The value of each byte as a digit, or ``invalid``.
    private static let values: [UInt8] = (0...UInt8.max).map { Base64.urlSafe.value(of: $0) ?? invalid }

    package static func == (left: SessionID, right: SessionID) -> Bool {
        left.high == right.high && left.low == right.low && left.text?.characters == right.text?.characters
    }

    /// Hashes the whole text: clients can generate any number of ids that begin with the same characters.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
        if let text { hasher.combine(text.characters) }
    }

    /// The place behind the id in a list, as another text: an id in a query would be in the logs of proxies.
    package var cursor: String { String(decoding: Self.inverted(characters), as: UTF8.self) }

    package init?(cursor: String) {
        guard SessionID(cursor.utf8) != nil else { return nil }
        self.init(Self.inverted(Array(cursor.utf8)))
    }

    private static func inverted(_ characters: [UInt8]) -> [UInt8] {
        characters.map { Base64.urlSafe.digit(63 - (Base64.urlSafe.value(of: $0) ?? 0)) }
    }

    /// The order of the ids as text.
    package static func < (left: SessionID, right: SessionID) -> Bool {
        let (first, second) = (left.order, right.order)
        if first != second { return first < second }
        return left.characters.lexicographicallyPrecedes(right.characters)
    }

    /// The first 21 characters, each replaced by its position in ASCII order, in which the alphabet is not, and the upper two
    /// bits of the next. Of two ids the greater one has the same order or a greater one.
    package var order: UInt128 {
        let bits = UInt128(high) << 64 | UInt128(low)
        var order: UInt128 = 0
        for index in 0..<21 {
            let value = Int(truncatingIfNeeded: bits >> UInt128(122 - index * 6)) & 0x3f
            order = order << 6 | UInt128(Self.positions[value])
        }
        // In a server's own id the last character carries two bits, whose letters are in ASCII order.
        guard let text else { return order << 2 | bits & 3 }
        let value = Base64.urlSafe.value(of: text.characters[21]) ?? 0
        return order << 2 | UInt128(Self.positions[Int(value)] >> 4)
    }

    /// Ids fall into that many ranges.
    static let rangeCount = 1024

    /// The range that the id is in: a greater id is in the same range or a later one.
    package var range: Int {
        // The first character, and four of the six bits of the second.
        Int(Self.positions[Int(high >> 58)]) << 4 | Int(Self.positions[Int(high >> 52 & 0x3f)]) >> 2
    }

    private static let positions: [UInt8] = {
        let digits = (0..<64).map { Base64.urlSafe.digit($0) }
        return digits.map { digit in UInt8(digits.count { $0 < digit }) }
    }()

    package var description: String { String(decoding: characters, as: UTF8.self) }

    private var characters: [UInt8] {
        if let text { return text.characters }
        var characters: [UInt8] = []
        characters.reserveCapacity(22)
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
            characters.append(Base64.urlSafe.digit(UInt8(value & 0x3f)))
        }
        return characters
    }
}
