import JSON

/// The reason for which a store asks for a token.
public enum TokenReason: Sendable, Hashable {
    /// It has none yet.
    case first
    /// The server has refused the last one.
    case unauthorized
    /// The last one has expired, or will within 30 seconds.
    case expired
}

/// Knows the token of the app, which is asked for it before first use, after a refusal, and before one expires.
@MainActor
final class Access {
    typealias Source = @Sendable (TokenReason) async throws -> String?

    private static let early = 30_000.0  // before a token expires

    private let clock: any ClientClock
    private let ask: Source?
    private var alarm: Alarm?
    private(set) var token: String?
    /// The subject of the first token.
    private(set) var user: String?
    private var asking: Task<String?, any Error>?
    private var wasAsked = false
    private var isUnproven = false

    /// - Parameter ask: gives a token; one call at a time.
    init(_ clock: any ClientClock, _ ask: Source?) {
        self.clock = clock
        self.ask = ask
        wasAsked = ask == nil
        alarm = Alarm(clock) { [weak self] in
            guard let self else { return }
            _ = renewal(.expired)
        }
    }

    /// Whether ``token`` may be used as it is.
    var isKnown: Bool { wasAsked && asking == nil }

    func get() async throws -> String? {
        if isKnown { return token }
        return try await renewal(.first).value
    }

    /// Asks for another token, unless that is done already.
    @discardableResult
    func renewal(_ reason: TokenReason) -> Task<String?, any Error> {
        if let asking { return asking }
        let task = Task { [weak self, ask] in
            do {
                let token = try await ask?(reason)
                self?.answered(token)
                return token
            } catch {
                self?.asking = nil
                throw error
            }
        }
        asking = task
        return task
    }

    private func answered(_ token: String?) {
        asking = nil
        let wasUnproven = isUnproven
        _ = set(token)
        isUnproven = wasUnproven
    }

    /// The server answered 401 to a token.
    ///
    /// - Returns: whether it is worth to try again.
    func refused(_ used: String?) async throws -> Bool {
        if try await get() != used { return true }
        guard ask != nil, !isUnproven else { return false }
        isUnproven = true
        _ = try await renewal(.unauthorized).value
        return true
    }

    /// The server took the token.
    func proved() { isUnproven = false }

    /// - Returns: false for the token of another user, whose entries stand elsewhere.
    func set(_ token: String?) -> Bool {
        let claims = TokenClaims(token)
        if let user, let subject = claims.subject, subject != user { return false }
        user = user ?? claims.subject
        wasAsked = true
        isUnproven = false
        self.token = token
        let left = claims.expiry.map { $0 - clock.wallTime - Self.early } ?? 0
        alarm?.set(left > 0 && ask != nil ? clock.now + left : .infinity)
        return true
    }

    func stop() {
        alarm?.set(.infinity)
        asking?.cancel()
    }
}

/// The claims of a JSON Web Token (RFC 7519), not verified.
package struct TokenClaims {
    package var subject: String?
    /// Milliseconds since 1970.
    package var expiry: Double?

    package init(_ token: String?) {
        guard let parts = token?.split(separator: ".", omittingEmptySubsequences: false), parts.count == 3,
            let bytes = Self.bytes(ofURLSafe: parts[1]), let claims = try? JSONValue(parsing: bytes)
        else { return }
        subject = claims["sub"]?.asString
        expiry = claims["exp"]?.asNumber.map { $0 * 1000 }
    }

    private static func bytes(ofURLSafe text: Substring) -> [UInt8]? {
        let digits = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        return Base64.decode(String(digits) + padding)
    }
}
