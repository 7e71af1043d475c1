import JSON
import Platform
import Security
import StorehouseServer
public import Stores

extension TestServer {
    /// The server as a user has it: each request has a token with the id, the name and the roles of the user.
    ///
    ///     try await TestServer.run([hall], configuration: ["access": ["mode": "token"]]) { server in
    ///         let ada = server.as(.user("ada", roles: ["cashier"]))
    ///         let session = try await ada.createSession()
    ///     }
    ///
    /// The server must be in token mode, or the test ends with a message.
    public func `as`(_ user: Actor) -> TestServer {
        guard let tokens else {
            preconditionFailure(#"users need a server with configuration: ["access": ["mode": "token"]]"#)
        }
        precondition(user.kind == .user, "only a user has a token; a guest has a share")
        return TestServer(self, token: tokens.token(of: user))
    }
}

/// Makes the tokens of users for a server in token mode.
struct TestTokens: Sendable {
    private let access: Configuration.Authorization

    /// Nil in capability mode.
    init?(_ access: Configuration.Authorization) {
        guard access.mode == .token else { return nil }
        self.access = access
    }

    /// A configuration that has a secret for tokens if it needs one.
    static func withSecret(_ configuration: JSONValue) -> JSONValue {
        guard configuration["access"]?["mode"] == "token", configuration["access"]?["secret"] == nil else {
            return configuration
        }
        var configuration = configuration
        let words = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        configuration["access"]?["secret"] = .string(words.joined(separator: "-") + "-of-a-test-server")
        return configuration
    }

    /// A token that is valid for a day. The claims of the name and the roles are those that a server reads by default.
    func token(of user: Actor) -> String {
        let now = systemTime() / 1000
        var claims: JSONObject = [
            "sub": .string(user.id.text), "exp": .integer(now + 86_400),
            "storehouse": ["roles": .array(user.roles.map(JSONValue.string))],
        ]
        claims["name"] = user.name.map(JSONValue.string)
        claims["iss"] = access.issuer.map(JSONValue.string)
        claims["aud"] = access.audience.map(JSONValue.string)
        let secret = access.secret.map { Array($0.text.utf8) } ?? []
        guard let token = TokenSigner.token(.object(claims), secret: secret) else {
            preconditionFailure("libcrypto cannot sign a token")
        }
        return token
    }
}
