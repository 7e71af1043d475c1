import JSON
import Security

/// Tokens, key sets and key files.
enum TokenProperties {
    private static let secret = Array("a-secret-for-fuzzing-of-32-bytes".utf8)
    private static let now = 1_700_000_000_000

    /// The input is a token, the claims of a signed token, a key set, and a file of keys.
    static func check(_ input: [UInt8]) throws(Finding) {
        try require(CryptoLibrary.load() == nil, "libcrypto cannot be loaded")
        try checkToken(input)
        try checkClaims(input)
        try checkBase64(input)
        if let set = (try? JSONValue(parsing: input)).flatMap(KeySet.init) {
            try require(set.keys.allSatisfy { $0.algorithm != .hs256 }, "a published key is a secret")
        }
        if let keys = try? PublicKeyFile.keys(String(decoding: input, as: UTF8.self)) {
            try require(!keys.isEmpty && keys.allSatisfy { $0.algorithm != .hs256 }, "a file has no public key")
        }
    }

    /// A token has only one spelling, and nobody without the secret can make one.
    private static func checkToken(_ input: [UInt8]) throws(Finding) {
        guard let token = try? JSONWebToken(input) else { return }
        try require(input.count <= JSONWebToken.maxBytes, "a token of \(input.count) bytes is accepted")
        let signature = Base64URL.encode(token.signature)
        try require(token.signedBytes + [0x2e] + Array(signature.utf8) == input, "a token has another spelling")
        guard let verifier = verifier(), let key = VerificationKey(secret: secret), !key.verifies(token) else { return }
        let claims = try? verifier.verify(token, with: nil, now: now)
        try require(claims == nil, "a forged token is valid")
    }

    /// Whatever is signed, only a valid token allows anything.
    private static func checkClaims(_ input: [UInt8]) throws(Finding) {
        guard let json = try? JSONValue(parsing: input), let text = TokenSigner.token(json, secret: secret) else {
            return
        }
        guard let token = try? JSONWebToken(Array(text.utf8)) else {
            return try require(
                json.asObject == nil || text.utf8.count > JSONWebToken.maxBytes, "a signed token is malformed")
        }
        guard let claims = try? verifier()?.verify(token, with: nil, now: now) else { return }
        try require(
            json["sub"]?.asSubject == claims.subject && !claims.subject.utf8.isEmpty, "the subject is another one")
        try require(claims.expiresAt > now, "an expired token is valid")
        let may = json["storehouse"]?["may"]?.asArray?.compactMap(\.asString)
        try require(claims.permissions.contains(.admin) == (may?.contains("admin") ?? false), "admin is not asked for")
    }

    private static func checkBase64(_ input: [UInt8]) throws(Finding) {
        try require(Base64URL.decode(Base64URL.encode(input).utf8) == input, "base64url changes the bytes")
        guard let bytes = Base64URL.decode(input) else { return }
        try require(Array(Base64URL.encode(bytes).utf8) == input, "base64url has two spellings")
    }

    private static func verifier() -> TokenVerifier? {
        VerificationKey(secret: secret).map { TokenVerifier(keys: [$0]) }
    }
}
