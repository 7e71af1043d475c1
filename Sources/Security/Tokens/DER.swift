/// Writes the few structures of ASN.1 (in DER) that public keys and signatures need.
enum DER {
    /// The public key of RSA (RFC 8017, A.1.1) as SubjectPublicKeyInfo.
    static func rsaKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        rsaKey(sequence(integer(modulus) + integer(exponent)))
    }

    /// A public key of RSA that is encoded already (`RSA PUBLIC KEY`) as SubjectPublicKeyInfo.
    static func rsaKey(_ key: [UInt8]) -> [UInt8] {
        publicKey(algorithm: [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00], key)
    }

    /// A point on P-256 (RFC 5480) as SubjectPublicKeyInfo.
    static func p256Key(x: [UInt8], y: [UInt8]) -> [UInt8] {
        publicKey(
            algorithm: [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
                + [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
            [4] + x + y)
    }

    /// A key of Ed25519 (RFC 8410) as SubjectPublicKeyInfo.
    static func ed25519Key(_ key: [UInt8]) -> [UInt8] { publicKey(algorithm: [0x06, 0x03, 0x2b, 0x65, 0x70], key) }

    /// A signature of P-256 that is written as two numbers of 32 bytes (RFC 7518, section 3.4); nil for another length.
    static func signature(_ numbers: [UInt8]) -> [UInt8]? {
        guard numbers.count == 64 else { return nil }
        return sequence(integer(Array(numbers[..<32])) + integer(Array(numbers[32...])))
    }

    private static func publicKey(algorithm: [UInt8], _ key: [UInt8]) -> [UInt8] {
        sequence(sequence(algorithm) + element(0x03, [0] + key))
    }

    private static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

    /// An integer that is not negative.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        let needsSign = digits.first.map { $0 >= 0x80 } ?? true
        return element(0x02, (needsSign ? [0] : []) + digits)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        repeat {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        } while rest > 0
        if content.count >= 0x80 { length.insert(0x80 | UInt8(length.count), at: 0) }
        return [tag] + length + content
    }
}
