import JSON

/// Encrypts the secrets of persisted states.
public protocol SecretSealer: Sendable {
    /// Encrypts and authenticates `clear`; nil if that is impossible now, in which case the secret is left out.
    func seal(_ clear: [UInt8]) -> [UInt8]?

    /// Decrypts `sealed`; nil if it was sealed with another key or has been changed.
    func open(_ sealed: [UInt8]) -> [UInt8]?
}

/// The JSON form of a secret: sealed, in base64.
enum Sealed {
    static func seal(_ text: String, by sealer: any SecretSealer) -> String? {
        sealer.seal(Array(text.utf8)).map(Base64.encode)
    }

    static func open(_ text: String, by sealer: any SecretSealer) -> String? {
        Base64.decode(text).flatMap(sealer.open).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
