import CCrypto

/// The SHA-256 of a token, under which the token is remembered once it is verified.
package struct TokenDigest: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil if libcrypto fails. It must be loaded.
    package init?(_ token: UnsafeBufferPointer<UInt8>) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let isDone = withUnsafeMutableBytes(of: &words) { digest in
            ccrypto_sha256(token.baseAddress, token.count, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        guard isDone == 1 else { return nil }
        self.words = words
    }

    /// A number below `count`, the same for the same token.
    package func bucket(of count: Int) -> Int { Int(truncatingIfNeeded: words.1 % UInt64(count)) }

    package static func == (one: TokenDigest, other: TokenDigest) -> Bool { one.words == other.words }

    /// One word is enough: nobody can choose the digest.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// The claims of verified tokens until they expire, so that each is verified once.
///
/// There is room for a number of tokens; the ones that were not used for longest are forgotten first.
package struct TokenCache: Sendable {
    private let capacity: Int
    // Two generations: tokens are added to the younger, and the older is forgotten as a whole.
    private var young: [TokenDigest: TokenClaims] = [:]
    private var old: [TokenDigest: TokenClaims] = [:]

    /// - Parameter capacity: about how many tokens are remembered.
    package init(capacity: Int) { self.capacity = capacity }

    /// - Parameter now: milliseconds since 1970.
    package mutating func claims(of token: TokenDigest, now: Int) -> TokenClaims? {
        if let claims = young[token] { return claims.expiresAt > now ? claims : nil }
        guard let claims = old.removeValue(forKey: token), claims.expiresAt > now else { return nil }
        insert(claims, for: token)
        return claims
    }

    package mutating func insert(_ claims: TokenClaims, for token: TokenDigest) {
        if young.count >= max(1, capacity / 2) {
            old = young
            young = [:]
        }
        young[token] = claims
    }

    /// Forgets all tokens: a key that has signed some of them may be gone.
    package mutating func removeAll() {
        young = [:]
        old = [:]
    }

    package var count: Int { young.count + old.count }
}
