import CCrypto
package import JSON

/// Makes tokens with a shared secret, for development and tests.
package enum TokenSigner {
    /// A token with these claims, signed with HS256.
    ///
    /// libcrypto must be loaded.
    ///
    /// - Returns: nil if libcrypto fails.
    package static func token(_ claims: JSONValue, secret: [UInt8]) -> String? {
        let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let signed = header + "." + Base64URL.encode(claims.encoded())
        return code(of: Array(signed.utf8), secret).map { signed + "." + Base64URL.encode($0) }
    }

    /// The HMAC with SHA-256; nil if libcrypto fails.
    package static func code(of bytes: [UInt8], _ secret: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: Int(CCRYPTO_DIGEST_LENGTH))
        return ccrypto_hmac_sha256(secret, secret.count, bytes, bytes.count, &code) == 1 ? code : nil
    }

    /// Whether a code was made of these bytes. It takes the same time wherever the first difference is.
    package static func isCode(_ code: [UInt8], of bytes: [UInt8], _ secret: [UInt8]) -> Bool {
        guard let expected = self.code(of: bytes, secret), expected.count == code.count else { return false }
        return ccrypto_are_equal(expected, code, code.count) == 1
    }
}
