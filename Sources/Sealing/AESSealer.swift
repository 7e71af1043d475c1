import CCrypto
public import StoreHosting

/// Seals by AES-256 in Galois/Counter Mode: who has no key learns the length of what was sealed, and cannot change it unnoticed.
///
/// What is sealed begins with a version, a nonce that is drawn at random for each, and the tag. One key is good for some
/// billions of them.
public struct AESSealer: SecretSealer {
    /// How many bytes a key has.
    public static let keyLength = Int(CCRYPTO_KEY_LENGTH)

    /// The first byte of what is sealed like this; part of what the tag vouches for.
    private static let version: UInt8 = 1
    private static let nonceLength = Int(CCRYPTO_NONCE_LENGTH)
    private static let tagLength = Int(CCRYPTO_TAG_LENGTH)
    private static let headLength = 1 + nonceLength + tagLength

    private let key: [UInt8]

    /// A sealer by that key, which must be secret and cannot be guessed.
    ///
    /// - Parameter key: 32 bytes.
    public init(key: [UInt8]) throws(SealerError) { try self.init(key: key, library: CCRYPTO_LIBRARY) }

    /// - Parameter library: the name of OpenSSL's libcrypto.
    package init(key: [UInt8], library: String) throws(SealerError) {
        guard key.count == Self.keyLength else { throw .keyLength(key.count) }
        if let problem = ccrypto_load(library) { throw .library(String(cString: problem)) }
        self.key = key
    }

    public func seal(_ clear: [UInt8]) -> [UInt8]? {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<Self.nonceLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var sealed = [UInt8](repeating: 0, count: clear.count)
        let isDone = ccrypto_seal(key, nonce, [Self.version], 1, clear, clear.count, &sealed, &tag)
        return isDone == 1 ? [Self.version] + nonce + tag + sealed : nil
    }

    public func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.headLength, sealed[0] == Self.version else { return nil }
        let nonce = Array(sealed[1...].prefix(Self.nonceLength))
        let tag = Array(sealed[(1 + Self.nonceLength)...].prefix(Self.tagLength))
        let rest = Array(sealed[Self.headLength...])
        var clear = [UInt8](repeating: 0, count: rest.count)
        let isDone = ccrypto_open(key, nonce, [Self.version], 1, rest, rest.count, tag, &clear)
        return isDone == 1 ? clear : nil
    }
}

extension AESSealer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Not the key.
    public var description: String { "AESSealer" }
    /// Not the key.
    public var debugDescription: String { description }
    /// Empty: a dump does not show the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why nothing can be sealed.
public enum SealerError: Error, Sendable, Hashable {
    /// The key has so many bytes, and not 32.
    case keyLength(Int)
    /// OpenSSL's libcrypto cannot be used; the text says why.
    case library(String)
}

extension SealerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyLength(let count): "the key of storage has \(count) bytes, and must have \(AESSealer.keyLength)"
        case .library(let problem):
            "storage.key is set, and what seals with it cannot be loaded (Debian: libssl3): \(problem)"
        }
    }
}
