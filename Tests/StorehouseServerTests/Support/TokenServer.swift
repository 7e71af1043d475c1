import JSON
import RemoteServices
import Security
import Sessions
import StorehouseServer
import Testing

/// Tokens for servers in token mode.
enum TestTokens {
    static let secret = "the-secret-of-the-tests-has-more-than-32-bytes"
    static let admin = "the-admin-token-of-the-tests"

    /// A token that is valid for an hour, with more claims.
    static func token(
        _ subject: String, expiresIn seconds: Int = 3600, claims others: JSONObject = [:],
        _ storehouse: JSONValue? = nil, secret: String = secret
    ) -> String {
        _ = CryptoLibrary.load()
        var claims = others
        claims["sub"] = .string(subject)
        claims["exp"] = .integer(WallClock().now() / 1000 + seconds)
        claims["storehouse"] = storehouse
        return TokenSigner.token(.object(claims), secret: Array(secret.utf8)) ?? ""
    }

    static func field(_ token: String) -> [(String, String)] { [("Authorization", "Bearer " + token)] }

    /// The field of a token with more claims.
    static func field(
        of subject: String, claims: JSONObject = [:], _ storehouse: JSONValue? = nil
    ) -> [(String, String)] {
        field(token(subject, claims: claims, storehouse))
    }

    static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        .with {
            $0.access.mode = .token
            $0.access.secret = .init(secret)
            $0.admin.token = .init(admin)
            change(&$0)
        }
    }
}

extension TestServing {
    /// Sends a request of a subject.
    func send(
        _ method: String, _ path: String, as subject: String?, _ storehouse: JSONValue? = nil, _ json: JSONValue? = nil
    ) async throws -> TestResponse {
        let fields = subject.map { TestTokens.field(of: $0, storehouse) } ?? []
        guard let json else { return try await send(TestRequest(method, path, fields)) }
        return try await send(TestRequest(method, path, fields, json: json))
    }

    /// The path of a new session of a subject.
    func sessionPath(of subject: String, store: String = "app") async throws -> String {
        let response = try await send("POST", "/sessions", as: subject, nil, ["store": .string(store)])
        return try #require(response["location"])
    }
}
