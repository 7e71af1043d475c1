import JSON
import Security
import StoreHosting

/// The entries of one client that the server knows.
///
/// The kept outcomes are those of the numbers from ``from`` to ``last``, without a gap.
struct ClientRecord: Sendable {
    /// As many entries as a request may have: one with more would not be known as a whole when it is repeated.
    static let maxOutcomes = 100

    private(set) var key: ClientKey
    let mark: String
    /// When the client was last heard of, in milliseconds of session time.
    var usedAt: Int
    /// The time of use in storage.
    private(set) var storedUse: Int
    private(set) var from = 1
    private(set) var outcomes: [KeptOutcome] = []
    /// The length of the stored form.
    private(set) var byteCount = 0
    /// The highest number that events may name. An entry is told before its outcome is kept, because its commit is seen first.
    private(set) var told = 0
    /// Orders the records by their last entry that was told; 0 if none was since the session was loaded.
    private(set) var decision = 0

    /// The number of the last decided entry; 0 if none was ever decided.
    var last: Int { from - 1 + outcomes.count }

    var isEmpty: Bool { last == 0 }

    init(_ key: ClientKey, mark: String, now: Int) {
        (self.key, self.mark) = (key, mark)
        (usedAt, storedUse) = (now, now)
    }

    /// Forgets the outcomes below a number, as far as there are any.
    mutating func forget(below number: Int) {
        let count = min(number, last + 1) - from
        guard count > 0 else { return }
        outcomes.removeFirst(count)
        from += count
    }

    /// Keeps outcomes up to that of an entry. An outcome that is known stays as it is.
    mutating func keep(_ outcomes: [KeptOutcome], through tag: EntryTag) {
        // The stored key of an earlier release may lack the actor.
        key = tag.key
        let first = tag.number - outcomes.count + 1
        if first > last + 1 { (from, self.outcomes) = (first, []) }
        self.outcomes += outcomes.dropFirst(last + 1 - first)
        forget(below: last + 1 - Self.maxOutcomes)
    }

    /// - Returns: whether the number was not told before.
    mutating func tell(_ number: Int, decision: Int) -> Bool {
        guard number > told else { return false }
        (told, self.decision) = (number, decision)
        return true
    }
}

// The stored form. The names are short, because it is written with each entry.
extension ClientRecord {
    /// - Parameter keyID: of the key of all hashes.
    mutating func row(keyID: Int) -> ClientRow {
        var json = JSONWriter(reservingCapacity: byteCount + 128)
        json.object { json in
            json.member("k", Base64URL.encode(key.high.bigEndianBytes + key.low.bigEndianBytes))
            if key.actor != 0 { json.member("a", Base64URL.encode(key.actor.bigEndianBytes)) }
            json.member("u", usedAt)
            json.member("f", from)
            json.member("h", keyID)
            json.member("o", outcomes)
        }
        let content = json.finish()
        (byteCount, storedUse) = (content.count, usedAt)
        return ClientRow(mark: mark, content: content)
    }

    /// Nil if this program cannot read the row.
    init?(_ row: ClientRow, keyID: Int, now: Int) {
        guard let json = try? JSONValue(parsing: row.content), let key = ClientKey(json),
            let usedAt = json["u"]?.asInteger, let from = json["f"]?.asInteger, from > 0,
            let outcomes = json["o"]?.asArray, outcomes.count <= Self.maxOutcomes
        else { return nil }
        let hasHashes = json["h"]?.asInteger == keyID
        self.init(key, mark: row.mark, now: min(usedAt, now))
        self.from = from
        self.outcomes = outcomes.compactMap { KeptOutcome($0, hasHash: hasHashes) }
        guard self.outcomes.count == outcomes.count else { return nil }
        (byteCount, told) = (row.content.count, last)
    }
}

extension ClientKey {
    /// Reads the members `k` and `a` of a row.
    fileprivate init?(_ json: JSONValue) {
        guard let key = json["k"]?.bytes, key.count == 16 else { return nil }
        var actor: UInt64 = 0
        if let member = json["a"] {
            guard let bytes = member.bytes, bytes.count == 8 else { return nil }
            actor = UInt64(bigEndian: bytes[...])
        }
        self.init(high: UInt64(bigEndian: key[...]), low: UInt64(bigEndian: key[8...]), actor: actor)
    }
}

extension JSONValue {
    /// The bytes that a text gives in URL-safe base64; nil for other values.
    fileprivate var bytes: [UInt8]? { asString.flatMap { Base64URL.decode($0.utf8) } }
}
