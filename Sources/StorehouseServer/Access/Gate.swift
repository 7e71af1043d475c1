import HTTP
import RemoteServices
import Security
import Stores

/// Verifies the credentials of requests, and applies the rules of ``Route/accessRule(for:)``: every request passes it.
///
/// What a session demands beyond that is up to ``SessionAccess``.
final class Gate: Sendable {
    typealias Handler = @Sendable (RequestContext) throws(Problem) -> Void

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
        case .share, .operators: false
        }
    }

    /// Calls `handle` with the credentials in the context, if they satisfy the rule: at once, unless a key has to be fetched.
    ///
    /// - Parameter id: what the path names, such as a share.
    func admit(
        _ context: RequestContext, _ rule: AccessRule, at id: PathSegment, _ handle: @escaping Handler
    ) throws(Problem) {
        switch rule {
        case .open: try handle(context)
        case .authenticated, .permission:
            guard let tokens else { return try handle(context) }
            try admit(context, rule, try BearerToken(context.head, for: "storehouse"), tokens, handle)
        case .share:
            guard let share = sealer.share(id.decoded), share.expiresAt > clock.now() else {
                throw Problem(.share(.unknown))
            }
            var context = context
            context.credentials = .share(share)
            try handle(context)
        case .operators where adminToken.isEmpty && tokens == nil:
            throw Problem(.credentials(.adminIsOff))
        case .operators:
            let token = try BearerToken(context.head, for: "admin")
            if token.matches(adminToken) {
                var context = context
                context.credentials = .admin
                return try handle(context)
            }
            guard let tokens else { throw Problem(.credentials(.notAdmin(realm: token.realm))) }
            try admit(context, rule, token, tokens, handle)
        }
    }

    private func admit(
        _ context: RequestContext, _ rule: AccessRule, _ token: BearerToken, _ tokens: TokenAuthenticator,
        _ handle: @escaping Handler
    ) throws(Problem) {
        if let claims = tokens.remembered(token.text) {
            return try Self.admit(context, rule, token, .success(claims), handle)
        }
        let deferred = context.deferred
        let outcome = tokens.authenticate(token.text) { outcome in
            deferred.resume { context throws(Problem) in try Self.admit(context, rule, token, outcome, handle) }
        }
        if let outcome { try Self.admit(context, rule, token, outcome, handle) }
    }

    private static func admit(
        _ context: RequestContext, _ rule: AccessRule, _ token: BearerToken, _ outcome: TokenAuthenticator.Outcome,
        _ handle: Handler
    ) throws(Problem) {
        var context = context
        switch outcome {
        case .failure(let error): throw Problem(.credentials(.refused(error, realm: token.realm)))
        case .success(let claims): context.credentials = .token(claims)
        }
        switch rule {
        case .open, .authenticated, .share: break
        case .permission(let permission): try context.require(permission)
        case .operators:
            try context.require(.admin)
            try Problem.of(context.credentials.requireAllStores)
            // An operator may look at the sessions of all subjects.
            context.credentials = .admin
        }
        try handle(context)
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
