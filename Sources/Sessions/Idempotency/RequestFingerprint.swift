package import JSON
package import StoreHosting

/// Tells the action or the batch of one request with an Idempotency-Key from another.
///
/// It is the same however the same JSON is written: members in another order, white space, escapes, `1.0` for `1`, an empty
/// payload or none. Clients write a request again before they repeat it.
package struct RequestFingerprint: Sendable {
    /// Of the action with its secrets. It never leaves the process, since a secret could be guessed by it.
    package let inMemory: UInt64
    /// Of the action without its secrets.
    private let redacted: UInt64
    private let body: [UInt8]
    private let redactedJSON: JSONValue

    /// Equal in every process: 48 bits of the action without its secrets, and 16 of the whole. These tell another secret,
    /// and are too few to guess one. They do not depend on the key, so many records tell no more than one.
    package var persistent: UInt64 { Self.combine(redacted, inMemory) }

    /// - Parameters:
    ///   - body: as it came.
    ///   - json: the same, parsed.
    ///   - redacted: the same without its secrets.
    package init(_ body: [UInt8], _ json: JSONValue, redacted: JSONValue) {
        self.body = body
        redactedJSON = redacted
        inMemory = ActionHash.hash(json)
        self.redacted = ActionHash.hash(redacted)
    }

    /// Whether a stored record is of the same action, as far as it tells. Earlier releases know only a repeat of the same bytes.
    package func matches(_ record: IdempotencyRecord) -> Bool {
        record.fingerprint == persistent || record.fingerprint == earlier || record.fingerprint == earliest
    }

    /// As earlier releases stored it: of the bytes as they came.
    package var earlier: UInt64 { Self.combine(earliest, ActionHash.hash(body)) }

    /// As the first releases stored it.
    package var earliest: UInt64 { ActionHash.hash(redactedJSON.encoded()) }

    private static func combine(_ redacted: UInt64, _ whole: UInt64) -> UInt64 {
        let folded = whole ^ whole >> 32
        return redacted & ~0xffff | (folded ^ folded >> 16) & 0xffff
    }
}

/// A hash of bytes or of a JSON value.
private struct ActionHash {
    private var hash = FNV1a()

    private var value: UInt64 { hash.value }

    static func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash = ActionHash()
        for byte in bytes { hash.add(byte) }
        return hash.value
    }

    /// Of an action, or of a batch of them. An action without a payload is the one with an empty payload.
    static func hash(_ body: JSONValue) -> UInt64 {
        var hash = ActionHash()
        if case .array(let actions) = body {
            hash.add(UInt8(ascii: "["))
            for action in actions { hash.add(word: Self.hash(action: action)) }
        } else {
            hash.add(word: Self.hash(action: body))
        }
        return hash.value
    }

    private static func hash(action: JSONValue) -> UInt64 {
        guard case .object(var members) = action, case .object(let payload)? = members["payload"], payload.isEmpty
        else {
            return hash(value: action)
        }
        members["payload"] = nil
        return hash(value: .object(members))
    }

    private static func hash(value: JSONValue) -> UInt64 {
        var hash = ActionHash()
        hash.add(value)
        return hash.value
    }

    private mutating func add(_ byte: UInt8) { hash.add(byte) }

    private mutating func add(word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // No text has this byte, so none can end where another continues.
        add(UInt8.max)
    }

    private mutating func add(_ json: JSONValue) {
        switch json {
        case .null: add(UInt8(ascii: "n"))
        case .bool(let flag): add(UInt8(ascii: flag ? "t" : "f"))
        case .integer(let number): add(number: String(number))
        case .number(let number): add(number: DecimalText.normalized(number.text))
        case .string(let text):
            add(UInt8(ascii: "s"))
            add(text)
        case .array(let elements):
            add(UInt8(ascii: "["))
            for element in elements { add(element) }
            add(UInt8(ascii: "]"))
        case .object(let object):
            add(UInt8(ascii: "{"))
            add(word: Self.sum(object))
        }
    }

    private mutating func add(number: String) {
        add(UInt8(ascii: "#"))
        add(number)
    }

    /// The sum does not depend on the order of the members.
    private static func sum(_ object: JSONObject) -> UInt64 {
        var sum: UInt64 = 0
        for (name, value) in object {
            var hash = ActionHash()
            hash.add(name)
            hash.add(value)
            sum &+= hash.mixed
        }
        return sum
    }

    /// All bits depend on all others (the last step of SplitMix64), so that sums differ.
    private var mixed: UInt64 {
        var mixed = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
