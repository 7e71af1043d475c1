/// Why nothing can be sealed.
public enum SealerFailure: Error, Sendable, Hashable {
    /// The key has so many bytes, and not 32.
    case keyLength(Int)
    /// OpenSSL's libcrypto cannot be used; the text says why.
    case library(String)
}

extension SealerFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyLength(let count): "the key of storage has \(count) bytes, and must have \(AESSealer.keyLength)"
        case .library(let problem):
            "storage.key is set, and what seals with it cannot be loaded (Debian: libssl3): \(problem)"
        }
    }
}
