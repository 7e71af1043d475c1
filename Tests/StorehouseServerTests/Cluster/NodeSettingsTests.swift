import JSON
import RedisTesting
import Security
import Sessions
import StorehouseServer
import Testing

/// All nodes must read the same names and roles from tokens.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct NodeSettingsTests {
    private static let line = "a node has other access settings"

    /// Asks the second node for a session of the first.
    private static func run(
        _ first: Configuration, _ second: Configuration, _ body: (LiveServer, LiveServer) async throws -> Void
    ) async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, first) { first in
            try await TestCluster.runNode(on: redis, second) { second in
                let path = try await first.sessionPath(of: "ada")
                let answer = try await second.get(path + "/state", TestTokens.field(of: "ada"))
                #expect(answer.status == 200 && answer["via"] != nil)
                try await body(first, second)
            }
        }
    }

    @Test func anotherClaimIsLoggedOnce() async throws {
        let other = TestTokens.configuration { $0.access.actorClaims.name = JSONPointer(tokens: ["nick"]) }
        try await Self.run(TestTokens.configuration(), other) { first, second in
            try await first.log.line(with: Self.line)
            let path = try await first.sessionPath(of: "ada")
            _ = try await second.get(path + "/state", TestTokens.field(of: "ada"))
            let lines = first.log.text.split(separator: "\n").filter { $0.contains(Self.line) }
            #expect(lines.count == 1 && lines[0].contains("access.nameClaim"))
        }
    }

    @Test func nodesWithTheSameClaimsAndOlderOnesAreNot() async throws {
        try await Self.run(TestTokens.configuration(), TestTokens.configuration()) { first, second in
            // It says nothing of its settings.
            let older = try await PlayedNode(at: first)
            let path = try await first.sessionPath(of: "ada")
            #expect(try await older.get(path + "/state", TestTokens.field(of: "ada")).status == 200)
            for server in [first, second] { #expect(!server.log.text.contains(Self.line)) }
        }
    }
}
