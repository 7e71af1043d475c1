import CommandLine
import Foundation
import JSON
import ProcessTesting
import Security
import Stores
import Testing

@Suite("storehouse token")
struct TokenCommandTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let now = 1_700_000_000_000

    /// The token that is signed with the secret in a file.
    private func token(secretIn text: String, _ flags: [String] = []) throws -> String {
        let folder = try TemporaryFolder()
        let path = folder.path + "/secret"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let arguments = ["token", "--secret-file", path, "--sub", "ada"] + flags
        guard case .token(let command) = try Invocation.parse(arguments, program: "storehouse") else {
            throw CommandFailure("these arguments are of another command")
        }
        return try command.token(now: Self.now).text
    }

    @Test("reads a secret as the server does: without one line end behind it")
    func lineEnds() throws {
        let plain = try token(secretIn: Self.secret)
        #expect(try token(secretIn: Self.secret + "\n") == plain)
        #expect(try token(secretIn: Self.secret + "\r\n") == plain)
        for end in [" ", "\n\n", " \n", "\t"] {
            #expect(throws: CommandFailure.self, "\(end.debugDescription)") { try token(secretIn: Self.secret + end) }
        }
    }

    @Test("puts the name and the roles into the claims that a server reads by default")
    func actor() throws {
        let flags = ["--name", "Ada Łovelace", "--roles", "cashier,usher"]
        let token = try JSONWebToken(Array(try token(secretIn: Self.secret, flags).utf8))
        #expect(token.claims["name"] == "Ada Łovelace")
        #expect(token.claims["storehouse"] == ["roles": ["cashier", "usher"]])
        let key = try #require(VerificationKey(secret: Array(Self.secret.utf8)))
        let claims = try TokenVerifier(keys: [key]).verify(token, with: nil, now: Self.now)
        #expect(claims.actor == .user("ada", name: "Ada Łovelace", roles: ["cashier", "usher"]))
        #expect(claims.permissions == .allButAdmin)
        #expect(try JSONWebToken(Array(try self.token(secretIn: Self.secret).utf8)).claims["name"] == nil)
    }

    @Test(
        "refuses a subject, a name and roles that a server would refuse or leave out",
        arguments: [
            (["--sub", "guest:17"], "--sub"), (["--sub", "ada", "--name", "A\nda"], "--name"),
            (["--sub", "ada", "--name", "\u{202e}adA"], "--name"), (["--sub", "ada", "--name", ""], "--name"),
            (["--sub", "ada", "--roles", String(repeating: "r", count: 65)], "--roles"),
            (["--sub", "ada", "--roles", (0..<33).map { "r\($0)" }.joined(separator: ",")], "--roles"),
        ])
    func refusals(flags: [String], named: String) throws {
        let error = #expect(throws: UsageError.self) {
            try Invocation.parse(["token", "--secret-file", "secret"] + flags, program: "storehouse")
        }
        #expect(error.map { "\($0)" }?.contains(named) == true)
    }
}
