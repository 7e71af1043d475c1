package import JSON

/// A signed JSON Web Token (RFC 7519) in the compact form, parsed and not verified.
package struct JSONWebToken: Sendable {
    package static let maxBytes = 16_384
    private static let maxHeaderBytes = 2048
    private static let maxKeyIDBytes = 256
    private static let types = ["jwt", "at+jwt"].flatMap { [$0, "application/\($0)"] }

    package let algorithm: SignatureAlgorithm
    /// Names the key; nil if the token does not.
    package let keyID: Subject?
    package let claims: JSONValue
    /// The bytes that the signature covers: the first two parts with the dot between them.
    package let signedBytes: [UInt8]
    package let signature: [UInt8]

    package init(_ token: [UInt8]) throws(TokenError) {
        guard token.count <= Self.maxBytes else { throw .malformed }
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), header.count <= Self.maxHeaderBytes,
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2]), !signature.isEmpty,
            // The parser refuses members that occur twice.
            let fields = (try? JSONValue(parsing: header))?.asObject, let claims = try? JSONValue(parsing: payload),
            claims.asObject != nil
        else { throw .malformed }
        // No extension is implemented, and one that is critical must not be ignored (RFC 7515, section 4.1.11).
        guard fields["crit"] == nil, Self.isToken(fields["typ"]),
            let algorithm = SignatureAlgorithm.allCases.first(where: { fields["alg"] == .string($0.rawValue) })
        else { throw .unsupported }
        switch fields["kid"] {
        case nil: keyID = nil
        case .string(let id)? where id.utf8.count <= Self.maxKeyIDBytes: keyID = Subject(id)
        default: throw .malformed
        }
        self.algorithm = algorithm
        self.claims = claims
        self.signature = signature
        signedBytes = Array(token[..<parts[1].endIndex])
    }

    /// Whether the type is that of a token for access, if there is one: a token for another purpose, which the same keys may
    /// sign, must not be accepted (RFC 8725, section 3.11).
    private static func isToken(_ type: JSONValue?) -> Bool {
        guard let type else { return true }
        guard let text = type.asString else { return false }
        let name = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return Self.types.contains { name.elementsEqual($0.utf8) }
    }
}

/// The algorithms that tokens may be signed with (RFC 7518, section 3.1, and RFC 8037). `none` is not one of them.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}

/// URL-safe base64 without padding (RFC 7515, section 2).
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(0 as UInt32) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0...group.count {
                text.append(Base64.urlSafe.digit(UInt8(truncatingIfNeeded: word >> (18 - 6 * UInt32(place)) & 63)))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that ``encode(_:)`` writes as this text; nil for any other text.
    package static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
        // Other modules have no specialization of a generic loop.
        digits.withContiguousStorageIfAvailable(decode(contiguous:))
            ?? Array(digits).withUnsafeBufferPointer(decode(contiguous:))
    }

    private static func decode(contiguous digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var word: UInt32 = 0
        var bits = 0
        for digit in digits {
            guard let value = Base64.urlSafe.value(of: digit) else { return nil }
            word = word << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
        }
        // Other last digits would spell the same bytes.
        return word & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
    }
}
