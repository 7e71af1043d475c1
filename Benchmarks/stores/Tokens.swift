import Foundation
import HTTP
import JSON
import Locks
import Security

/// Measures how long the token of a request takes to verify: one that was verified before, as nearly all are, and a new
/// one.
func measureTokens(_ stopwatch: Stopwatch) -> Numbers {
    guard CryptoLibrary.load() == nil, let key = VerificationKey(secret: secret) else { fatalError("no libcrypto") }
    let claims: JSONValue = [
        "sub": "a-subject-of-usual-length", "iss": "https://login.example.org/",
        "aud": "https://storehouse.example.org",
        "iat": 1_700_000_000, "exp": 4_102_444_800, "storehouse": ["may": ["create", "read", "act"]],
    ]
    guard let token = TokenSigner.token(claims, secret: secret), let head = head(token) else { fatalError("no token") }
    let verifier = TokenVerifier(keys: [key])
    let cache = Locked(TokenCache(capacity: 1024))
    guard let digest = tokenDigest(of: head), let verified = verify(token, verifier) else { fatalError("no digest") }
    cache.withLock { $0.insert(verified, for: digest) }
    return [
        "tokenBytes": Double(token.utf8.count),
        "known": stopwatch.nanoseconds { count in
            for _ in 0..<count {
                let digest = tokenDigest(of: head)
                let claims = digest.flatMap { digest in cache.withLock { $0.claims(of: digest, now: now) } }
                precondition(claims != nil)
            }
        },
        "new": stopwatch.nanoseconds { count in
            for _ in 0..<count { precondition(verify(token, verifier) != nil) }
        },
    ]
}

private let secret = Array("a-secret-for-measuring-of-32-bytes".utf8)
private let now = 1_700_000_000_000

private func head(_ token: String) -> RequestHead? {
    let text =
        "POST /sessions/tGKKBL2ISsXf4VK6kCU3XQ/actions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
        + "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n"
    var parser = RequestParser(limits: HTTPLimits())
    guard case .head(let head, _) = Array(text.utf8).withUnsafeBytes({ parser.parse($0) }) else { return nil }
    return head
}

/// As the server does it for each request.
private func tokenDigest(of head: RequestHead) -> TokenDigest? {
    guard !head.fields.hasSeveral("authorization"), let value = head.fields.first("authorization") else { return nil }
    var token = String(value.dropFirst(7).drop { $0 == " " })
    return token.withUTF8 { TokenDigest($0) }
}

private func verify(_ token: String, _ verifier: TokenVerifier) -> TokenClaims? {
    (try? JSONWebToken(Array(token.utf8))).flatMap { try? verifier.verify($0, with: nil, now: now) }
}
