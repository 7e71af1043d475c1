import JSON
import Security
import Testing
import TokenVectors

@Suite("A key set")
struct KeySetTests {
    init() { #expect(CryptoLibrary.load() == nil) }

    static func set(_ keys: String...) throws -> KeySet {
        try #require(try KeySet(JSONValue(parsing: #"{"keys":[\#(keys.joined(separator: ","))]}"#)))
    }

    private static func refusal(_ token: String, _ set: KeySet?) -> TokenError? {
        TokenVerifierTests.refusal(token, TokenVerifier(keys: []), set)
    }

    @Test("verifies tokens by the key that they name, or by all keys if they name none")
    func verifies() throws {
        let set = try Self.set(TokenVectors.rsaJWK, TokenVectors.ecJWK, TokenVectors.edJWK)
        #expect(set.keys.compactMap(\.id) == ["rsa", "ec", "ed"])
        #expect(set.keys.map(\.algorithm) == [.rs256, .es256, .edDSA])
        for token in [
            TokenVectors.rsaToken, TokenVectors.ecToken, TokenVectors.edToken, TokenVectors.rsaTokenWithoutKeyID,
            TokenVectors.ecTokenWithoutKeyID, TokenVectors.edTokenWithoutKeyID,
        ] { #expect(Self.refusal(token, set) == nil) }
        #expect(Self.refusal(TokenVectors.nextToken, set) == .unknownKey)
        #expect(Self.refusal(TokenVectors.edTokenWithUnknownKeyID, set) == .unknownKey)
        #expect(Self.refusal(TokenVectors.edTokenWithWrongKeyID, set) == .notVerified)
        #expect(Self.refusal(TokenVectors.nextTokenWithoutKeyID, set) == .notVerified)
        #expect(Self.refusal(TokenVectors.edToken, nil) == .unknownKey)
    }

    @Test("is not searched for a token that names no key where more than four could have signed it")
    func boundsCandidates() throws {
        let others = [TokenVectors.edJWK, TokenVectors.rsaJWK]
        func set(_ count: Int) throws -> KeySet {
            let copies = (0..<count).map { TokenVectors.ecJWK.replacing(#""kid":"ec""#, with: #""kid":"ec\#($0)""#) }
            return try #require(
                try KeySet(JSONValue(parsing: #"{"keys":[\#((copies + others).joined(separator: ","))]}"#)))
        }
        #expect(Self.refusal(TokenVectors.ecTokenWithoutKeyID, try set(4)) == nil)
        #expect(Self.refusal(TokenVectors.ecTokenWithoutKeyID, try set(5)) == .ambiguousKey)
        #expect(Self.refusal(TokenVectors.ecTokenWithoutKeyID, try set(48)) == .ambiguousKey)
        // Keys of other algorithms do not count, and a named key is found among many.
        #expect(Self.refusal(TokenVectors.edTokenWithoutKeyID, try set(48)) == nil)
        #expect(Self.refusal(TokenVectors.edToken, try set(48)) == nil)
    }

    @Test("takes the first 50 keys that can verify tokens, wherever they are, and counts the others")
    func countsUsableKeys() throws {
        let copy = { (number: Int) in TokenVectors.edJWK.replacing(#""kid":"ed""#, with: #""kid":"ed\#(number)""#) }
        let others = (0..<120).map { number in
            number.isMultiple(of: 2)
                ? #"{"kty":"oct","k":"AAAA"}"#
                : copy(number).replacing(#""kid""#, with: #""use":"enc","kid""#).replacing(#""use":"sig","#, with: "")
        }
        func set(_ count: Int) throws -> KeySet {
            let all = (others + (0..<count).map(copy)).joined(separator: ",")
            return try #require(try KeySet(JSONValue(parsing: #"{"keys":[\#(all)]}"#)))
        }
        for (count, excess) in [(1, 0), (50, 0), (51, 1), (70, 20)] {
            let set = try set(count)
            #expect(set.keys.count == min(count, 50) && set.excessCount == excess)
            #expect(set.keys.first?.id == "ed0")
        }
    }

    @Test("has the key that a token names only to the byte")
    func comparesBytes() throws {
        let set = try Self.set(TokenVectors.edJWK.replacing(#""kid":"ed""#, with: "\"kid\":\"\u{e9}K\""))
        #expect(set.keys.map(\.id) == ["\u{e9}K"])
        let parts = TokenVectors.edToken.split(separator: ".")
        for name in ["e\u{301}K", "\u{e9}\u{212a}"] {
            let header = Base64URL.encode(Array(#"{"alg":"EdDSA","kid":"\#(name)"}"#.utf8))
            #expect(Self.refusal("\(header).\(parts[1]).\(parts[2])", set) == .unknownKey)
        }
        // The key is there, and has not signed this.
        let header = Base64URL.encode(Array(#"{"alg":"EdDSA","kid":"\u00e9K"}"#.utf8))
        #expect(Self.refusal("\(header).\(parts[1]).\(parts[2])", set) == .notVerified)
    }

    @Test("leaves out keys for other uses, of other kinds, of other algorithms and of too few bits")
    func leavesOut() throws {
        let jwk = TokenVectors.edJWK.dropLast()
        for more in [#""use":"enc""#, #""key_ops":["sign"]"#, #""alg":"ES256""#, #""alg":7"#, #""use":7"#] {
            #expect(try Self.set("\(jwk),\(more)}").keys.isEmpty)
        }
        for more in [#""use":"sig""#, #""key_ops":["verify"]"#, #""alg":"EdDSA""#] {
            #expect(try Self.set("\(jwk),\(more)}").keys.count == 1)
        }
        for key in [
            #"{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#, "{}", "7", #"{"kty":"RSA"}"#,
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, #"{"kty":"OKP","crv":"X25519","x":"AAAA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}"#,
            TokenVectors.edJWK.replacing(#""kid":"ed""#, with: #""kid":7"#),
            // Not on the curve.
            TokenVectors.ecJWK.replacing(#""y":""#, with: #""z":""#),
        ] { #expect(try Self.set(key).keys.isEmpty, "\(key)") }
        #expect(KeySet(["keys": "none"]) == nil && KeySet([]) == nil)
    }

    /// Points of small order on Ed25519, and an RSA exponent of 1.
    @Test("leaves out keys for which anybody can sign")
    func leavesOutWeakKeys() throws {
        let numbers = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000080",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        ]
        for number in numbers {
            let bytes = stride(from: 0, to: 64, by: 2).map { index in
                UInt8(number.dropFirst(index).prefix(2), radix: 16) ?? 0
            }
            let x = Base64URL.encode(bytes)
            #expect(try Self.set(#"{"kty":"OKP","crv":"Ed25519","kid":"k","x":"\#(x)"}"#).keys.isEmpty, "\(number)")
        }
        for exponent in ["AQ", "AAE"] {
            #expect(try Self.set(TokenVectors.rsaJWK.replacing("\"AQAB\"", with: "\"\(exponent)\"")).keys.isEmpty)
        }
        #expect(try Self.set(TokenVectors.rsaJWK.replacing("\"AQAB\"", with: "\"Aw\"")).keys.count == 1)
    }

    @Test("is fetched once, again at once for an unknown key, and then every 30 seconds at most")
    func fetches() throws {
        var cache = KeySetCache()
        let set = try Self.set(TokenVectors.edJWK)
        #expect(cache.missed(in: cache.version, now: 0) == .fetch)
        #expect(cache.missed(in: cache.version, now: 1) == .wait)
        cache.fetched(set, now: 2)
        #expect(cache.set?.keys.count == 1)
        #expect(cache.missed(in: cache.version, now: 3) == .fetch)
        cache.fetched(set, now: 4)
        for now in [5, 1000, 30_002] { #expect(cache.missed(in: cache.version, now: now) == .refuse) }
        #expect(cache.missed(in: cache.version, now: 30_003) == .fetch)
        #expect(cache.missed(in: cache.version, now: 70_000) == .wait)
        // The service is down. The keys stay.
        cache.fetched(nil, now: 70_001)
        #expect(cache.set?.keys.count == 1)
        #expect(cache.missed(in: cache.version, now: 70_002) == .fetch)
    }

    @Test("is fetched every second at most while there is none")
    func fetchesWithoutSet() throws {
        var cache = KeySetCache()
        #expect(cache.missed(in: cache.version, now: 0) == .fetch)
        cache.fetched(nil, now: 10)
        #expect(cache.missed(in: cache.version, now: 999) == .refuse)
        #expect(cache.missed(in: cache.version, now: 1000) == .fetch)
        cache.fetched(try Self.set(TokenVectors.edJWK), now: 1001)
        #expect(cache.missed(in: cache.version, now: 1002) == .fetch)
    }

    @Test("is searched again, and not fetched, if it came after the search")
    func searchesNewerSet() throws {
        var cache = KeySetCache()
        let searched = cache.version
        #expect(cache.missed(in: searched, now: 0) == .fetch)
        cache.fetched(nil, now: 1)
        #expect(cache.missed(in: searched, now: 2) == .refuse)
        #expect(cache.missed(in: searched, now: 1000) == .fetch)
        cache.fetched(try Self.set(TokenVectors.edJWK), now: 1001)
        #expect(cache.missed(in: searched, now: 1002) == .retry)
        #expect(cache.missed(in: searched, now: 1_000_000) == .retry)
        #expect(cache.missed(in: cache.version, now: 1_000_000) == .fetch)
    }

    @Test("is replaced after ten minutes, so that withdrawn keys are forgotten")
    func replaces() throws {
        var cache = KeySetCache()
        #expect(cache.used(now: 0) == false)
        _ = cache.missed(in: cache.version, now: 0)
        cache.fetched(try Self.set(TokenVectors.edJWK), now: 0)
        #expect(cache.used(now: 599_999) == false)
        #expect(cache.used(now: 600_000) == true)
        #expect(cache.used(now: 600_001) == false)
        cache.fetched(nil, now: 600_002)
        #expect(cache.used(now: 629_999) == false)
        #expect(cache.used(now: 630_000) == true)
    }
}

@Suite("A file of public keys")
struct PublicKeyFileTests {
    init() { #expect(CryptoLibrary.load() == nil) }

    @Test(
        "that cannot be used is refused with what to do about it",
        arguments: [
            ("", "has no public key in PEM"), ("ed25519 AAAA", "has no public key in PEM"),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n", "ends inside of a key"),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "has a key that cannot be used"),
            ("-----BEGIN PUBLIC KEY-----\n!\n-----END PUBLIC KEY-----", "has a key that cannot be used"),
            (TokenVectors.shortRSAPEM, "has a key that cannot be used"),
            (TokenVectors.p384PEM, "has a key that cannot be used"),
            ("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----", "openssl pkey -pubout"),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "openssl x509 -pubkey"),
            ("-----BEGIN X-----\nAAAA\n-----END X-----", "has a block of another kind"),
        ])
    func refused(text: String, detail: String) {
        #expect {
            try PublicKeyFile.keys(text)
        } throws: { error in
            (error as? PublicKeyFile.Unusable)?.detail.contains(detail) == true
        }
    }

    @Test("may have Windows line breaks and several keys")
    func accepted() throws {
        let text = (TokenVectors.edPEM + "\n" + TokenVectors.rsaPEM).replacing("\n", with: "\r\n")
        #expect(try PublicKeyFile.keys(text).map(\.algorithm) == [.edDSA, .rs256])
    }
}

@Suite("The cache of verified tokens")
struct TokenCacheTests {
    init() { #expect(CryptoLibrary.load() == nil) }

    private static func digest(_ number: Int) -> TokenDigest? {
        Array("\(number)".utf8).withUnsafeBufferPointer { TokenDigest($0) }
    }

    @Test("forgets tokens when they expire, and those that were not used for longest")
    func forgets() throws {
        var cache = TokenCache(capacity: 10)
        let first = try #require(Self.digest(0))
        cache.insert(TokenClaims(subject: "a", expiresAt: 100), for: first)
        #expect(cache.claims(of: first, now: 99)?.subject == "a")
        #expect(cache.claims(of: first, now: 100) == nil)
        for number in 1..<100 {
            cache.insert(TokenClaims(subject: "b", expiresAt: 100), for: try #require(Self.digest(number)))
            // It is in use.
            #expect(cache.claims(of: first, now: 99) != nil)
            #expect(cache.count <= 10)
        }
        #expect(cache.claims(of: try #require(Self.digest(1)), now: 99) == nil)
        cache.removeAll()
        #expect(cache.claims(of: first, now: 99) == nil)
    }
}
