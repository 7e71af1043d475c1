import JSON

/// Seals what must not stand in clear where states are kept.
public protocol SecretSealer: Sendable {
    /// What only who has the key can read or make; nil where it cannot be made now, and `clear` has to be left out.
    func seal(_ clear: [UInt8]) -> [UInt8]?

    /// What was sealed; nil where it was sealed with another key, or changed since.
    func open(_ sealed: [UInt8]) -> [UInt8]?
}

/// Secrets as they stand in JSON: sealed, in base64.
enum Sealed {
    static func seal(_ text: String, by sealer: any SecretSealer) -> String? {
        sealer.seal(Array(text.utf8)).map(Base64.encode)
    }

    static func open(_ text: String, by sealer: any SecretSealer) -> String? {
        Base64.decode(text).flatMap(sealer.open).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
