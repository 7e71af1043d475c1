import HTTP
import JSON
import RemoteServices
import Security
import Sessions
import Stores

/// Verifies the credentials of requests, and applies the rules of ``Route/accessRule(for:)``: every request passes it.
///
/// ``SessionAccess`` checks what a session demands beyond that.
final class Gate: Sendable {
    typealias Verified = Result<Credentials, Problem>

    /// Empty if there is none.
    private let adminToken: String
    private let sealer: ClientSealer
    private let clock: WallClock
    /// Nil in capability mode.
    private let tokens: TokenAuthenticator?

    init(adminToken: String, _ sealer: ClientSealer, _ tokens: TokenAuthenticator?, clock: WallClock) {
        self.adminToken = adminToken
        self.sealer = sealer
        self.clock = clock
        self.tokens = tokens
    }

    /// Whether the rule demands nothing of a request.
    func isOpen(_ rule: AccessRule) -> Bool {
        switch rule {
        case .open: true
        case .authenticated, .permission: tokens == nil
        case .holder, .operators: false
        }
    }

    /// The credentials of a request, if they satisfy the rule: at once, unless a key has to be fetched.
    ///
    /// - Parameter id: the segment of the path that may be a permit.
    func credentials(
        of context: RequestContext, _ rule: AccessRule, at id: PathSegment
    ) throws(Problem) -> Handling<Verified> {
        switch rule {
        case .open: return .now(.success(context.credentials))
        case .authenticated, .permission:
            guard let tokens else { return .now(.success(context.credentials)) }
            return verify(try BearerToken(context.head, for: "storehouse"), rule, tokens)
        case .holder: return .now(.success(.permit(try sealer.permit(id.decoded, at: clock.now()))))
        case .operators where adminToken.isEmpty && tokens == nil:
            throw Problem(.credentials(.adminIsOff))
        case .operators where context.hasRightOfOperator: return .now(.success(.admin))
        case .operators:
            let token = try BearerToken(context.head, for: "admin")
            if token.matches(adminToken) { return .now(.success(.admin)) }
            guard let tokens else { throw Problem(.credentials(.notAdmin(realm: token.realm))) }
            return verify(token, rule, tokens)
        }
    }

    private func verify(_ token: BearerToken, _ rule: AccessRule, _ tokens: TokenAuthenticator) -> Handling<Verified> {
        if let claims = tokens.remembered(token.text) {
            return .now(Self.credentials(.success(claims), of: token, rule))
        }
        switch tokens.authenticate(token.text) {
        case .done(let outcome): return .now(Self.credentials(outcome, of: token, rule))
        case .later(let run):
            return .later { () async throws(SessionFailure) in Self.credentials(await run(), of: token, rule) }
        }
    }

    private static func credentials(
        _ outcome: TokenAuthenticator.Outcome, of token: BearerToken, _ rule: AccessRule
    ) -> Verified {
        Verified { () throws(Problem) in
            let credentials: Credentials
            switch outcome {
            case .failure(let error): throw Problem(.credentials(.refused(error, realm: token.realm)))
            case .success(let claims): credentials = .token(claims)
            }
            return try Problem.of { () throws(SessionFailure) in
                switch rule {
                case .open, .authenticated, .holder: return credentials
                case .permission(let permission):
                    try credentials.require(permission)
                    return credentials
                case .operators:
                    try credentials.require(.admin)
                    try credentials.requireAllStores()
                    // An operator may look at the sessions of all subjects.
                    return .admin
                }
            }
        }
    }
}

/// The token of an Authorization field (RFC 6750, section 2.1).
private struct BearerToken: Sendable {
    let text: String
    let realm: String

    /// - Parameter realm: names the resources in the challenge.
    init(_ head: RequestHead, for realm: String) throws(Problem) {
        self.realm = realm
        // Of two, a proxy may have checked the other one.
        guard !head.fields.hasSeveral("authorization") else {
            throw Problem(.credentials(.several(realm: realm)))
        }
        let credentials = head.fields.first("authorization") ?? ""
        let scheme = credentials.utf8.prefix(7)
        guard scheme.count == 7, Self.scheme.elementsEqual(scheme, by: { $0 == $1 | 0x20 }) else {
            throw Problem(.credentials(.missing(realm: realm)))
        }
        let rest = credentials.utf8.dropFirst(7).drop { $0 == UInt8(ascii: " ") }
        text = String(Substring(rest))
    }

    /// A space stays a space when its sixth bit is set.
    private static let scheme = "bearer ".utf8

    /// Takes the same time wherever the difference is, so that a token cannot be guessed byte by byte.
    func matches(_ token: String) -> Bool {
        guard !token.isEmpty else { return false }
        var difference = UInt8(text.utf8.count == token.utf8.count ? 0 : 1)
        for (given, byte) in zip(text.utf8, token.utf8) { difference |= given ^ byte }
        return difference == 0
    }
}
