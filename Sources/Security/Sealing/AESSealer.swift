import CCrypto
import StoreHosting

/// Encrypts secrets with AES-256-GCM, which also detects changes. Only the length of a secret is visible without the
/// key.
///
/// The output starts with a version, a random nonce and the tag. One key is safe for some billions of secrets.
package final class AESSealer: SecretSealer {
    /// The size of a key in bytes.
    package static let keyLength = Int(CCRYPTO_KEY_LENGTH)

    /// The first byte of the output, which the tag authenticates.
    private static let version: UInt8 = 1
    private static let nonceLength = Int(CCRYPTO_NONCE_LENGTH)
    private static let tagLength = Int(CCRYPTO_TAG_LENGTH)
    private static let headLength = 1 + nonceLength + tagLength

    private let key: [UInt8]

    /// A sealer with this key.
    ///
    /// - Parameter key: 32 random, secret bytes.
    package convenience init(key: [UInt8]) throws(SealerError) { try self.init(key: key, library: CCRYPTO_LIBRARY) }

    /// - Parameter library: the file name of OpenSSL's libcrypto.
    package init(key: [UInt8], library: String) throws(SealerError) {
        guard key.count == Self.keyLength else { throw .keyLength(key.count) }
        if let problem = ccrypto_load(library) { throw .library(String(cString: problem)) }
        self.key = key
    }

    package func seal(_ clear: [UInt8]) -> [UInt8]? {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<Self.nonceLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var sealed = [UInt8](repeating: 0, count: clear.count)
        let isDone = ccrypto_seal(key, nonce, [Self.version], 1, clear, clear.count, &sealed, &tag)
        return isDone == 1 ? [Self.version] + nonce + tag + sealed : nil
    }

    package func open(_ sealed: [UInt8]) -> [UInt8]? {
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
    /// Does not contain the key.
    package var description: String { "AESSealer" }
    /// Does not contain the key.
    package var debugDescription: String { description }
    /// Empty, so that a dump does not contain the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why secrets cannot be encrypted.
package enum SealerError: Error, Sendable, Hashable {
    /// The key has this number of bytes instead of 32.
    case keyLength(Int)
    /// OpenSSL's libcrypto cannot be loaded, for this reason.
    case library(String)
}

extension SealerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keyLength(let count): "the storage key has \(count) bytes; it must have \(AESSealer.keyLength)"
        case .library(let problem):
            "storage.key is set, but libcrypto cannot be loaded (Debian package: libssl3): \(problem)"
        }
    }
}
