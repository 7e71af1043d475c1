import CCrypto
package import JSON

/// A key that verifies tokens of one algorithm: the token cannot choose another.
package final class VerificationKey: Sendable {
    /// A shared secret is at least that long (RFC 7518, section 3.2).
    package static let minSecretBytes = 32
    /// RSA keys are at least that long (RFC 7518, section 3.3), and no longer than libcrypto takes.
    private static let rsaBits = 2048...16_384

    package let algorithm: SignatureAlgorithm
    /// The identifier that tokens may name; nil if the key has none.
    package let id: Subject?
    private let material: Material

    private enum Material: Sendable {
        case secret([UInt8])
        case publicKey(PublicKey)
    }

    /// A key of libcrypto.
    private final class PublicKey: @unchecked Sendable {
        // Sendable, because nobody changes the key after it was read, and only the last owner frees it.
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

    /// A public key in DER (SubjectPublicKeyInfo); nil for anything but RSA of 2048 bits or more, P-256 and Ed25519, and for a
    /// key without a secret.
    ///
    /// libcrypto must be loaded.
    init?(der: [UInt8], id: Subject? = nil) {
        var kind = CCRYPTO_KEY_OTHER
        var bits: Int32 = 0
        guard let pointer = ccrypto_read_public_key(der, der.count, &kind, &bits) else { return nil }
        material = .publicKey(PublicKey(pointer))
        self.id = id
        guard !WeakKeys.contain(der, kind) else { return nil }
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
        case .secret(let secret): return TokenSigner.isCode(signature, of: bytes, secret)
        case .publicKey(let key):
            guard let signature = algorithm == .es256 ? DER.signature(signature) : signature else { return false }
            let usesDigest: Int32 = algorithm == .edDSA ? 0 : 1
            return ccrypto_verify(key.pointer, usesDigest, signature, signature.count, bytes, bytes.count) == 1
        }
    }
}

/// Public keys of which everybody knows a private key. libcrypto accepts their signatures.
private enum WeakKeys {
    /// - Parameter key: in DER, where it stands at the end.
    static func contain(_ key: [UInt8], _ kind: ccrypto_key_kind) -> Bool {
        switch kind {
        case CCRYPTO_KEY_RSA: key.suffix(3).elementsEqual(exponentOne)
        case CCRYPTO_KEY_ED25519:
            // The highest bit is the sign of the other coordinate.
            smallOrders.contains(key.suffix(32).dropLast() + [(key.last ?? 0) & 0x7f])
        default: false
        }
    }

    /// With the exponent 1 a signature is the padded digest itself.
    private static let exponentOne: [UInt8] = [0x02, 0x01, 0x01]

    /// The points of Ed25519 whose order divides 8, also written without reduction: 0, 1, p - 1, p, p + 1, and two of order 8.
    private static let smallOrders: Set<[UInt8]> = [
        number(0x00, 0x00, 0x00), number(0x01, 0x00, 0x00), number(0xec, 0xff, 0x7f), number(0xed, 0xff, 0x7f),
        number(0xee, 0xff, 0x7f),
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
    ]

    private static func number(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
        [first] + [UInt8](repeating: middle, count: 30) + [last]
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
