import CCrypto

/// A key that verifies tokens of one algorithm: the token cannot choose another.
package final class VerificationKey: Sendable {
    /// A shared secret is at least that long (RFC 7518, section 3.2).
    package static let minSecretBytes = 32
    /// RSA keys are at least that long (RFC 7518, section 3.3), and no longer than libcrypto takes.
    private static let rsaBits = 2048...16_384

    package let algorithm: SignatureAlgorithm
    /// The identifier that tokens may name; nil if the key has none.
    package let id: String?
    private let material: Material

    private enum Material: Sendable {
        case secret([UInt8])
        case publicKey(PublicKey)
    }

    /// A key of libcrypto, which is not changed after it was read.
    private final class PublicKey: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer

        init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

        deinit { ccrypto_free_public_key(pointer) }
    }

    /// A shared secret; nil if it is too short.
    package init?(secret: [UInt8]) {
        guard secret.count >= Self.minSecretBytes else { return nil }
        algorithm = .hs256
        id = nil
        material = .secret(secret)
    }

    /// A public key in DER (SubjectPublicKeyInfo); nil for anything but RSA of 2048 bits or more, P-256 and Ed25519.
    ///
    /// libcrypto must be loaded.
    init?(der: [UInt8], id: String? = nil) {
        var kind = CCRYPTO_KEY_OTHER
        var bits: Int32 = 0
        guard let pointer = ccrypto_read_public_key(der, der.count, &kind, &bits) else { return nil }
        material = .publicKey(PublicKey(pointer))
        self.id = id
        switch kind {
        case CCRYPTO_KEY_RSA where Self.rsaBits.contains(Int(bits)): algorithm = .rs256
        case CCRYPTO_KEY_P256: algorithm = .es256
        case CCRYPTO_KEY_ED25519: algorithm = .edDSA
        default: return nil
        }
    }

    package func verifies(_ token: JSONWebToken) -> Bool {
        guard token.algorithm == algorithm else { return false }
        let (bytes, signature) = (token.signedBytes, token.signature)
        switch material {
        case .secret(let secret):
            guard let code = TokenSigner.code(of: bytes, secret) else { return false }
            return signature.count == code.count && ccrypto_are_equal(signature, code, code.count) == 1
        case .publicKey(let key):
            guard let signature = algorithm == .es256 ? DER.signature(signature) : signature else { return false }
            let usesDigest: Int32 = algorithm == .edDSA ? 0 : 1
            return ccrypto_verify(key.pointer, usesDigest, signature, signature.count, bytes, bytes.count) == 1
        }
    }
}

extension VerificationKey: CustomStringConvertible, CustomReflectable {
    /// Does not contain the key.
    package var description: String { "VerificationKey(\(algorithm.rawValue))" }
    /// Empty, so that a dump does not contain the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The library that verifies.
package enum CryptoLibrary {
    /// Loads libcrypto. Nothing else of this module that verifies or signs may be used before.
    ///
    /// - Returns: why it cannot be loaded; nil if it is.
    package static func load(_ library: String = CCRYPTO_LIBRARY) -> String? {
        ccrypto_load(library).map { String(cString: $0) }
    }
}
