import JSON
import Security
import Testing
import TokenVectors

@Suite("A token")
struct TokenVerifierTests {
    /// 2023-11-14T22:13:20Z
    static let now = 1_700_000_000_000
    static let secret = Array("a secret that has more than 32 bytes".utf8)

    init() { #expect(CryptoLibrary.load() == nil) }

    /// A verifier with the secret, or with the keys of PEM files.
    static func verifier(
        _ pem: String? = nil, issuer: String? = nil, audience: String? = nil
    ) throws -> TokenVerifier {
        let keys = try pem.map { try PublicKeyFile.keys($0) } ?? [try #require(VerificationKey(secret: secret))]
        return TokenVerifier(keys: keys, issuer: issuer, audience: audience)
    }

    /// The outcome: the claims, or why it is refused.
    static func outcome(
        _ token: String, _ verifier: TokenVerifier, _ set: KeySet? = nil
    ) -> Result<TokenClaims, TokenError> {
        Result { () throws(TokenError) in try verifier.verify(try JSONWebToken(Array(token.utf8)), with: set, now: now)
        }
    }

    static func refusal(_ token: String, _ verifier: TokenVerifier, _ set: KeySet? = nil) -> TokenError? {
        if case .failure(let error) = outcome(token, verifier, set) { error } else { nil }
    }

    /// A token with HS256.
    static func token(_ claims: JSONValue) throws -> String { try #require(TokenSigner.token(claims, secret: secret)) }

    /// A token whose parts are as given, signed with the secret.
    static func token(header: String, payload: String) throws -> String {
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return signed + "." + Base64URL.encode(try #require(TokenSigner.code(of: Array(signed.utf8), secret)))
    }

    @Test("of each algorithm is accepted with the key of its algorithm, and with no other")
    func algorithms() throws {
        let pems = [TokenVectors.rsaPEM, TokenVectors.ecPEM, TokenVectors.edPEM]
        let tokens = [TokenVectors.rsaToken, TokenVectors.ecToken, TokenVectors.edToken]
        for (index, pem) in pems.enumerated() {
            let verifier = try Self.verifier(pem)
            for (other, token) in tokens.enumerated() {
                let outcome = Self.outcome(token, verifier)
                #expect((try? outcome.get())?.subject == (index == other ? "alice" : nil))
                // The identifier of a key means nothing to keys without one.
                if index != other { #expect(Self.refusal(token, verifier) == .unknownKey) }
            }
        }
        let all = try Self.verifier(pems.joined(separator: "\nwith text in between\n"))
        for token in tokens { #expect(Self.refusal(token, all) == nil) }
        #expect(Self.refusal(TokenVectors.rsaToken, try Self.verifier(TokenVectors.rsaPKCS1PEM)) == nil)
        #expect(Self.refusal(TokenVectors.rsaToken, try Self.verifier()) == .unknownKey)
    }

    @Test(
        "that was changed anywhere is refused",
        arguments: [TokenVectors.rsaToken, TokenVectors.ecToken, TokenVectors.edToken])
    func changes(token: String) throws {
        let pems = [TokenVectors.rsaPEM, TokenVectors.ecPEM, TokenVectors.edPEM].joined(separator: "\n")
        let verifier = try Self.verifier(pems)
        #expect(Self.refusal(token, verifier) == nil)
        for index in token.utf8.indices {
            var bytes = Array(token.utf8)
            let place = token.utf8.distance(from: token.utf8.startIndex, to: index)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(Self.refusal(String(decoding: bytes, as: UTF8.self), verifier) != nil, "\(place)")
        }
        for length in stride(from: 0, to: token.utf8.count, by: 7) {
            #expect(Self.refusal(String(token.prefix(length)), verifier) != nil)
        }
        #expect(Self.refusal(token + "=", verifier) == .malformed)
        #expect(Self.refusal(token + ".", verifier) == .malformed)
        #expect(Self.refusal(token + ".AAAA", verifier) == .malformed)
        #expect(Self.refusal(" " + token, verifier) == .malformed)
    }

    @Test("without a signature, or with the public key as the secret, is refused")
    func confusion() throws {
        let claims = Base64URL.encode(Array(#"{"sub":"alice","exp":4102444800}"#.utf8))
        for name in ["none", "None", "NONE", "", "HS384", "RS512", "PS256", "ES384"] {
            let header = Base64URL.encode(Array(#"{"alg":"\#(name)"}"#.utf8))
            for signature in ["", "AAAA"] {
                let refusal = Self.refusal("\(header).\(claims).\(signature)", try Self.verifier(TokenVectors.rsaPEM))
                #expect(refusal == (signature.isEmpty ? .malformed : .unsupported))
            }
        }
        for text in [TokenVectors.rsaPEM, TokenVectors.rsaPEM + "\n"] {
            let forged = try #require(
                TokenSigner.token(["sub": "alice", "exp": 4_102_444_800], secret: Array(text.utf8)))
            #expect(Self.refusal(forged, try Self.verifier(TokenVectors.rsaPEM)) == .notVerified)
            let set = try #require(try KeySet(JSONValue(parsing: #"{"keys":[\#(TokenVectors.rsaJWK)]}"#)))
            #expect(Self.refusal(forged, TokenVerifier(keys: []), set) == .notVerified)
        }
    }

    @Test(
        "with a header that demands too much is refused",
        arguments: [
            (#"{"alg":"HS256","crit":["exp"],"exp":1}"#, TokenError.unsupported),
            (#"{"alg":"HS256","crit":[]}"#, .unsupported), (#"{"alg":"HS256","typ":"dpop+jwt"}"#, .unsupported),
            (#"{"alg":"HS256","typ":7}"#, .unsupported), (#"{"alg":["HS256"]}"#, .unsupported), ("{}", .unsupported),
            (#"{"alg":"HS256","kid":7}"#, .malformed), (#"{"alg":"HS256","alg":"HS256"}"#, .malformed),
            ("[]", .malformed), ("", .malformed),
            (#"{"alg":"HS256","x":"\#(String(repeating: "x", count: 2048))"}"#, .malformed),
        ])
    func headers(header: String, error: TokenError) throws {
        let payload = #"{"sub":"alice","exp":4102444800}"#
        let verifier = try Self.verifier()
        #expect(Self.refusal(try Self.token(header: header, payload: payload), verifier) == error)
        for plain in [
            #"{"alg":"HS256"}"#, #"{"alg":"HS256","typ":"at+jwt","kid":"any"}"#, #"{"typ":"jwt","alg":"HS256"}"#,
        ] {
            #expect(Self.refusal(try Self.token(header: plain, payload: payload), verifier) == nil)
        }
    }

    @Test(
        "whose claims occur twice, are missing or have wrong types is refused",
        arguments: [
            (#"{"sub":"alice","exp":4102444800,"sub":"bob"}"#, TokenError.malformed),
            (#"{"sub":"alice","exp":4102444800,"exp":1}"#, .malformed),
            (#"{"sub":"alice","exp":4102444800,"storehouse":{"may":[],"may":["read"]}}"#, .malformed),
            (#"{"exp":4102444800}"#, .claim("sub")), (#"{"sub":"","exp":4102444800}"#, .claim("sub")),
            (#"{"sub":7,"exp":4102444800}"#, .claim("sub")), (#"{"sub":"a\nb","exp":4102444800}"#, .claim("sub")),
            (#"{"sub":"\#(String(repeating: "x", count: 257))","exp":4102444800}"#, .claim("sub")),
            (#"{"sub":"alice"}"#, .claim("exp")), (#"{"sub":"alice","exp":"4102444800"}"#, .claim("exp")),
            (#"{"sub":"alice","exp":null}"#, .claim("exp")),
            (#"{"sub":"alice","exp":4102444800,"nbf":"x"}"#, .claim("nbf")),
            (#"{"sub":"alice","exp":4102444800,"storehouse":"read"}"#, .claim("storehouse")),
            (#"{"sub":"alice","exp":4102444800,"storehouse":{"may":"read"}}"#, .claim("storehouse.may")),
            (#"{"sub":"alice","exp":4102444800,"storehouse":{"may":null}}"#, .claim("storehouse.may")),
            (#"{"sub":"alice","exp":4102444800,"storehouse":{"stores":[7]}}"#, .claim("storehouse.stores")),
            (#"{"sub":"alice","exp":4102444800,"storehouse":{"sessions":{}}}"#, .claim("storehouse.sessions")),
            ("[1]", .malformed), ("7", .malformed), ("", .malformed),
        ])
    func claims(payload: String, error: TokenError) throws {
        let token = try Self.token(header: #"{"alg":"HS256"}"#, payload: payload)
        #expect(Self.refusal(token, try Self.verifier()) == error)
    }

    @Test(
        "is valid from nbf to exp, with a minute of leeway",
        arguments: [
            (-60_000, -59_999, nil), (-60_001, -60_000, TokenError.expired), (0, 60_000, nil),
            (-60_000, -60_000, .expired), (100_000, 160_000, .notYetValid),
        ] as [(Int, Int, TokenError?)])
    func times(from: Int, to: Int, error: TokenError?) throws {
        let start = JSONValue.integer(Self.now / 1000 + (from + 60_000) / 1000)
        let claims: JSONValue = [
            "sub": "alice", "nbf": from == 100_000 ? .integer(Self.now / 1000 + 61) : start,
            "exp": try JSONValue(parsing: "\(Double(Self.now + to) / 1000)"),
        ]
        #expect(Self.refusal(try Self.token(claims), try Self.verifier()) == error)
    }

    @Test("expires at the end of its leeway, and in the year 9999 at the latest")
    func expiry() throws {
        for (exp, expected) in [("1700000001.5", 1_700_000_061_500), ("1e300", 253_402_300_859_999)] {
            let token = try Self.token(header: #"{"alg":"HS256"}"#, payload: #"{"sub":"a","exp":\#(exp)}"#)
            #expect(try Self.outcome(token, try Self.verifier()).get().expiresAt == expected)
        }
    }

    @Test("must be of the issuer and for the audience that are configured")
    func issuerAndAudience() throws {
        let base: JSONObject = ["sub": "alice", "exp": 4_102_444_800]
        func refusal(_ name: String, _ value: JSONValue?) throws -> TokenError? {
            var claims = base
            claims["iss"] = "me"
            claims["aud"] = "here"
            claims[name] = value
            let verifier = try Self.verifier(issuer: "me", audience: "here")
            return Self.refusal(try Self.token(.object(claims)), verifier)
        }
        #expect(try refusal("x", nil) == nil)
        for issuer in [nil, "you", ["me"], "Me"] as [JSONValue?] { #expect(try refusal("iss", issuer) == .wrongIssuer) }
        for audience in [nil, "there", [], ["there"], 7] as [JSONValue?] {
            #expect(try refusal("aud", audience) == .wrongAudience)
        }
        #expect(try refusal("aud", ["there", "here"]) == nil)
        #expect(Self.refusal(try Self.token(.object(base)), try Self.verifier()) == nil)
    }

    @Test("allows what storehouse says, and everything but admin without it")
    func grants() throws {
        func claims(_ storehouse: JSONValue?) throws -> TokenClaims {
            var claims: JSONObject = ["sub": "alice", "exp": 4_102_444_800]
            claims["storehouse"] = storehouse
            return try Self.outcome(try Self.token(.object(claims)), try Self.verifier()).get()
        }
        let all = ["create", "read", "act", "delete", "share"]
        #expect(try claims(nil).permissions.names == all)
        let plain = try claims(nil)
        #expect(plain.stores == nil && plain.sessions == [])
        #expect(try claims([:]).permissions.names == all)
        #expect(try claims(["may": []]).permissions.names == [])
        #expect(try claims(["may": ["read", "fly", "admin"]]).permissions.names == ["read", "admin"])
        let narrow = try claims(["stores": ["planner"], "sessions": ["x", "y"]])
        #expect(narrow.stores == ["planner"] && narrow.sessions == ["x", "y"] && narrow.permissions.names == all)
    }

    @Test("of more than 16 KB is refused")
    func size() throws {
        let token = try Self.token([
            "sub": "alice", "exp": 4_102_444_800, "x": .string(String(repeating: "x", count: 11_000)),
        ])
        #expect(Self.refusal(token, try Self.verifier()) == nil)
        let long = try Self.token([
            "sub": "alice", "exp": 4_102_444_800, "x": .string(String(repeating: "x", count: 48_000)),
        ])
        #expect(long.utf8.count > 64_000)
        #expect(Self.refusal(long, try Self.verifier()) == .malformed)
    }

    @Test("names its issuer, its audience and what it allows to the byte")
    func comparesBytes() throws {
        let verifier = try Self.verifier(issuer: "Caf\u{e9}", audience: "Kino")
        func claims(_ issuer: String, _ audience: JSONValue, _ storehouse: JSONValue = [:]) throws -> String {
            try Self.token([
                "sub": "e\u{301}", "exp": 1_800_000_000, "iss": .string(issuer), "aud": audience,
                "storehouse": storehouse,
            ])
        }
        let right = try claims("Caf\u{e9}", ["x", "Kino"], ["stores": ["K"], "sessions": ["K"], "may": ["act"]])
        let found = try Self.outcome(right, verifier).get()
        #expect(found.subject == "e\u{301}" && found.subject != "\u{e9}")
        #expect(found.stores == ["K"] && found.stores != ["\u{212a}"])
        #expect(found.sessions.contains("K") && !found.sessions.contains("\u{212a}"))
        #expect(Self.refusal(try claims("Cafe\u{301}", "Kino"), verifier) == .wrongIssuer)
        #expect(Self.refusal(try claims("Caf\u{e9}", "\u{212a}ino"), verifier) == .wrongAudience)
        #expect(Self.refusal(try claims("Caf\u{e9}", ["\u{212a}ino"]), verifier) == .wrongAudience)
    }
}
