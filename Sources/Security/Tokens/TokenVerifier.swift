import JSON

/// Decides whether a token is valid, and what it allows.
package struct TokenVerifier: Sendable {
    /// How much the clocks of the issuer and the server may differ, in milliseconds.
    package static let leeway = 60_000
    /// The end of the year 9999.
    private static let lastMoment = 253_402_300_799_999.0
    private static let subjectBytes = 1...256
    /// Trying a key takes about 0.1 ms, and anybody can send a token that names none.
    private static let maxCandidates = 4

    /// The keys of the configuration. They have no identifiers, so they are tried whatever key a token names.
    private let keys: [VerificationKey]
    private let issuer: Subject?
    private let audience: Subject?
    private let actorClaims: ActorClaims

    /// - Parameters:
    ///   - keys: those of the configuration.
    ///   - issuer: must be the issuer; nil for any.
    ///   - audience: must be among the audiences; nil for any.
    ///   - actorClaims: the places of the subject's name and roles.
    package init(
        keys: [VerificationKey], issuer: String? = nil, audience: String? = nil,
        actorClaims: ActorClaims = ActorClaims()
    ) {
        self.keys = keys
        self.issuer = issuer.map { Subject($0) }
        self.audience = audience.map { Subject($0) }
        self.actorClaims = actorClaims
    }

    /// The claims of a token that a key of the configuration or of the set has signed, and that is valid now.
    ///
    /// - Parameters:
    ///   - set: keys with identifiers; nil if there are none yet. A token that names no key may be of one of a few keys of its
    ///     algorithm, so that a set without identifiers can be rotated.
    ///   - now: milliseconds since 1970.
    /// - Throws: `unknownKey` if a newer set might have the key.
    package func verify(_ token: JSONWebToken, with set: KeySet?, now: Int) throws(TokenError) -> TokenClaims {
        if !keys.contains(where: { $0.verifies(token) }) {
            // HMAC needs no set: a published key is no secret.
            guard token.algorithm != .hs256 else { throw .notVerified }
            guard let set else { throw .unknownKey }
            let named = set.keys.filter { token.keyID == nil || $0.id == token.keyID }
            guard !named.isEmpty else { throw .unknownKey }
            let candidates = named.filter { $0.algorithm == token.algorithm }
            guard candidates.count <= Self.maxCandidates else { throw .ambiguousKey }
            guard candidates.contains(where: { $0.verifies(token) }) else { throw .notVerified }
        }
        return try claims(token.claims, now: now)
    }

    private func claims(_ json: JSONValue, now: Int) throws(TokenError) -> TokenClaims {
        guard let expiry = json["exp"].flatMap(Self.moment) else { throw .claim("exp") }
        let expiresAt = expiry + Self.leeway
        guard now < expiresAt else { throw .expired }
        if let start = json["nbf"] {
            guard let start = Self.moment(start) else { throw .claim("nbf") }
            guard now >= start - Self.leeway else { throw .notYetValid }
        }
        if let issuer, json["iss"]?.asSubject != issuer { throw .wrongIssuer }
        if let audience, !Self.audiences(json["aud"]).contains(audience) { throw .wrongAudience }
        guard let subject = json["sub"]?.asString, Self.isSubject(subject) else { throw .claim("sub") }
        return try grant(json, Subject(subject), expiresAt)
    }

    private func grant(
        _ claims: JSONValue, _ subject: Subject, _ expiresAt: Int
    ) throws(TokenError) -> TokenClaims {
        let json = claims["storehouse"] ?? .object([:])
        guard json.asObject != nil else { throw .claim("storehouse") }
        let may = try Self.texts(json["may"], "storehouse.may")
        return TokenClaims(
            subject: subject, expiresAt: expiresAt,
            // Names of later releases allow nothing here.
            permissions: may.map { Permissions($0.compactMap(Permission.init(named:))) } ?? .allButAdmin,
            stores: try Self.texts(json["stores"], "storehouse.stores"),
            sessions: try Self.texts(json["sessions"], "storehouse.sessions") ?? [],
            name: actorClaims.name(in: claims), roles: actorClaims.roles(in: claims))
    }

    private static func texts(_ json: JSONValue?, _ name: String) throws(TokenError) -> [Subject]? {
        guard let json else { return nil }
        guard let elements = json.asArray else { throw .claim(name) }
        let texts = elements.compactMap(\.asSubject)
        guard texts.count == elements.count else { throw .claim(name) }
        return texts
    }

    private static func audiences(_ json: JSONValue?) -> [Subject] {
        json?.asSubject.map { [$0] } ?? json?.asArray?.compactMap(\.asSubject) ?? []
    }

    /// Whether it can stand in documents and in an operator's terminal, and is not the id of a guest.
    package static func isSubject(_ text: String) -> Bool {
        subjectBytes.contains(text.utf8.count) && !ActorClaims.isOfGuest(text)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    }

    /// A moment in milliseconds, from seconds since 1970, which may have a fraction (RFC 7519, section 2).
    private static func moment(_ json: JSONValue) -> Int? {
        guard let seconds = json.asNumber, seconds.isFinite else { return nil }
        return Int(min(max(seconds * 1000, 0), lastMoment))
    }
}
