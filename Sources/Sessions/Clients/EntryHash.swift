package import JSON
import Security
import StoreHosting

/// Tells an entry from another one under its number. It is keyed, because entries may have passwords that could be guessed.
package struct EntryHash: Sendable, Hashable {
    private static let byteCount = 12

    /// In URL-safe base64.
    let text: String

    fileprivate init(_ code: [UInt8]) { text = Base64URL.encode(Array(code.prefix(Self.byteCount))) }

    /// Nil for any other text than one of an earlier hash.
    init?(text: String) {
        guard Base64URL.decode(text.utf8)?.count == Self.byteCount else { return nil }
        self.text = text
    }
}

/// Makes the hashes of entries.
package struct EntryHasher: Sendable {
    private let key: [UInt8]
    /// Tells the key from other keys, and does not give it away.
    package let keyID: Int
    /// Whether secrets are left out, because whoever has the hashes has the secret too, and could guess passwords by them.
    package let hidesSecrets: Bool

    package init(secret: [UInt8], hidesSecrets: Bool = false) {
        self.hidesSecrets = hidesSecrets
        key = HMAC.code(Array("storehouse entries".utf8), key: secret)
        keyID = Int(UInt64(bigEndian: HMAC.code(Array("id".utf8), key: key)[...]) >> 32)
    }

    /// - Parameters:
    ///   - actions: of the entry, parsed.
    ///   - ifMatch: the condition of the entry, as it came.
    ///   - number: of the entry. Equal entries of two clients, or under two numbers, have different hashes, so that a storage
    ///     does not show that two passwords are equal.
    package func hash(_ actions: [JSONValue], ifMatch: String?, _ number: Int, of client: ClientKey) -> EntryHash {
        var json = JSONWriter()
        json.array { json in
            json.integer(number)
            json.array { json in
                for action in actions { CanonicalJSON.append(action: action, to: &json) }
            }
            if let ifMatch { json.string(ifMatch) }
        }
        let entry = client.high.bigEndianBytes + client.low.bigEndianBytes + json.finish()
        return EntryHash(HMAC.code(entry, key: key))
    }
}

/// HMAC with SHA-256 (RFC 2104).
package enum HMAC {
    private static let blockLength = 64

    package static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = key.count > blockLength ? SHA256.hash(key) : key
        let block = key + [UInt8](repeating: 0, count: blockLength - key.count)
        return SHA256.hash(block.map { $0 ^ 0x5c } + SHA256.hash(block.map { $0 ^ 0x36 } + message))
    }
}
