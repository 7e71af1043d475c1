package import JSON

/// The keys of a JSON Web Key Set (RFC 7517, section 5) that can verify tokens.
package struct KeySet: Sendable {
    private static let maxKeys = 50

    package let keys: [VerificationKey]
    /// How many further keys could verify tokens, and are left out because they are too many.
    package let excessCount: Int

    /// Keys of other kinds, for other uses and of too few bits are left out and do not count. Of the others, the first 50 are taken.
    ///
    /// libcrypto must be loaded.
    ///
    /// - Returns: nil if the document is not a key set.
    package init?(_ document: JSONValue) {
        guard let elements = document["keys"]?.asArray else { return nil }
        let usable = elements.compactMap(Self.key)
        keys = Array(usable.prefix(Self.maxKeys))
        excessCount = usable.count - keys.count
    }

    private static func key(_ element: JSONValue) -> VerificationKey? {
        if let use = element["use"], use != "sig" { return nil }
        if let operations = element["key_ops"] {
            guard operations.asArray?.contains("verify") == true else { return nil }
        }
        let id = element["kid"]
        guard id == nil || id?.asString != nil, let der = der(element),
            let key = VerificationKey(der: der, id: id?.asSubject)
        else { return nil }
        if let algorithm = element["alg"], algorithm != .string(key.algorithm.rawValue) { return nil }
        return key
    }

    /// The key as SubjectPublicKeyInfo. A symmetric key is none that a service may publish.
    private static func der(_ element: JSONValue) -> [UInt8]? {
        switch element["kty"] ?? .null {
        case "RSA":
            guard let modulus = bytes(element["n"], 256...2048), let exponent = bytes(element["e"], 1...8) else {
                return nil
            }
            return DER.rsaKey(modulus: modulus, exponent: exponent)
        case "EC":
            guard element["crv"] == "P-256", let x = bytes(element["x"], 32...32),
                let y = bytes(element["y"], 32...32)
            else { return nil }
            return DER.p256Key(x: x, y: y)
        case "OKP":
            guard element["crv"] == "Ed25519", let x = bytes(element["x"], 32...32) else { return nil }
            return DER.ed25519Key(x)
        default: return nil
        }
    }

    private static func bytes(_ value: JSONValue?, _ length: ClosedRange<Int>) -> [UInt8]? {
        guard let text = value?.asString,
            let bytes = Base64URL.decode(text.utf8), length.contains(bytes.count)
        else { return nil }
        return bytes
    }
}
