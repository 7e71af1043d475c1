import JSON
import StorehouseServer
import Testing

/// Tokens whose keys are right, and whose claims are not as a server expects them.
@Suite("A token with hostile claims", .timeLimit(.minutes(5)))
struct HostileActorTests {
    private static let increment: JSONValue = ["type": "counter/increment"]

    @Test("is refused if its subject looks like a guest", arguments: ["guest:17", "guest:", "guest:\u{301}17"])
    func guests(subject: String) async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let fields = TestTokens.field(of: subject)
            for path in ["/sessions/me/state", "/stores", "/sessions/nothing"] {
                let refused = try await server.get(path, fields)
                #expect(refused.status == 401 && refused.code == "unauthorized", "\(path): \(refused.text)")
                #expect(refused.json["detail"]?.asString?.contains("claim sub") == true)
            }
            let action = try await server.post("/sessions/me/actions", fields, json: Self.increment)
            #expect(action.status == 401)
        }
    }

    @Test(
        "acts without the name and the roles that are not as they must be",
        arguments: [
            (["name": "\u{202e}adA"], nil), (["name": "A\u{0}da"], nil), (["name": ["Ada"]], ["roles": "cashier"]),
            (["name": .string(String(repeating: "a", count: 257))], ["roles": ["cashier": true]]),
            (["name": "A\u{2067}da"], ["roles": [7, .null, ["cashier"], ""]]),
        ] as [(JSONObject, JSONValue?)])
    func leftOut(claims: JSONObject, storehouse: JSONValue?) async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let fields = TestTokens.field(of: "ada", claims: claims, storehouse)
            let action = try await server.post("/sessions/me/actions", fields, json: Self.increment)
            #expect(action.status == 200)
            let log = try await server.get("/sessions/me/actions", fields)
            #expect(log.at("/actions/0/actor") == ["kind": "user", "id": "ada", "roles": []], "\(log.text)")
        }
    }

    @Test("of a megabyte is refused, and one with as many roles as it can have is not")
    func size() async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let huge = TestTokens.field(of: "ada", claims: ["x": .string(String(repeating: "x", count: 1 << 20))])
            #expect(try await server.get("/sessions/me/state", huge).status == 431)
            let roles = (0..<1000).map { JSONValue.string("r\($0)") }
            let fields = TestTokens.field(of: "ada", ["roles": .array(roles)])
            #expect(try await server.post("/sessions/me/actions", fields, json: Self.increment).status == 200)
            let log = try await server.get("/sessions/me/actions", fields)
            #expect(log.at("/actions/0/actor/roles") == .array(Array(roles.prefix(32))))
        }
    }

    @Test("with roles has all rights of a token that names none")
    func rights() async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let fields = TestTokens.field(of: "ada", ["roles": ["cashier"]])
            let path = try #require(try await server.post("/sessions", fields, json: ["store": "app"])["location"])
            #expect(try await server.get(path + "/state", fields).status == 200)
            #expect(try await server.post(path + "/actions", fields, json: Self.increment).status == 200)
            #expect(try await server.post(path + "/shares", fields, json: [:]).status == 201)
            #expect(try await server.get("/admin/sessions", fields).status == 403)
            #expect(try await server.send(TestRequest("DELETE", path, fields)).status == 204)
        }
    }
}
