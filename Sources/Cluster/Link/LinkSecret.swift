import JSON
import Security

/// The secret that all nodes share. It makes codes, and never leaves the process.
package struct LinkSecret: Sendable {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The code of some lines for one purpose, in Base64; nil if libcrypto cannot be loaded. A line must not have a line feed.
    func code(for purpose: Purpose, _ lines: [String]) -> String? {
        guard CryptoLibrary.load() == nil else { return nil }
        return TokenSigner.code(of: Self.signed(purpose, lines), bytes).map { Base64URL.encode($0) }
    }

    /// Whether this is the code of the lines. It takes the same time wherever the first difference is.
    func isCode(_ code: Substring, for purpose: Purpose, _ lines: [String]) -> Bool {
        guard code.utf8.count == Self.codeLength, let code = Base64URL.decode(code.utf8), CryptoLibrary.load() == nil
        else { return false }
        return TokenSigner.isCode(code, of: Self.signed(purpose, lines), bytes)
    }

    /// The key of one connection; nil if libcrypto cannot be loaded.
    func key(_ lines: [String]) -> LinkKey? {
        guard CryptoLibrary.load() == nil else { return nil }
        return TokenSigner.code(of: Self.signed(.key, lines), bytes).map { LinkKey($0) }
    }

    /// Each is part of what is signed, so that no code is of use in the place of another one.
    enum Purpose: String {
        case hello, answer, proof, key
    }

    /// The length of 32 bytes in Base64 without padding.
    static let codeLength = 43

    private static func signed(_ purpose: Purpose, _ lines: [String]) -> [UInt8] {
        Array((["storehouse link \(purpose.rawValue)"] + lines).joined(separator: "\n").utf8)
    }
}

/// A random value that is used for one connection only.
package struct LinkNonce: Sendable, Hashable {
    package let text: String

    package static func random() -> LinkNonce {
        var random = SystemRandomNumberGenerator()
        return LinkNonce(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    private init(bytes: [UInt8]) { text = Base64URL.encode(bytes) }

    /// Nil if it is not the text of a nonce.
    init?(_ text: Substring) {
        guard text.utf8.count == LinkSecret.codeLength, Base64URL.decode(text.utf8)?.count == 32 else { return nil }
        self.text = String(text)
    }
}
