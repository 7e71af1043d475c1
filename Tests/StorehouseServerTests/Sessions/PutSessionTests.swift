import JSON
import StorehouseServer
import StoresTesting
import Testing

/// Sessions with ids that clients have made.
@Suite struct PutSessionTests {
    private static let ids = [
        "0123456789abcdefABCDEg", "0123456789abcdefABCDEF", "0f8fad5b-d9cb-469f-a165-70867728950e",
        "-----------------------", String(repeating: "_", count: 64),
    ]

    private static func put(
        _ api: any TestServing, _ id: String, _ body: JSONValue? = ["store": "planner"],
        _ fields: [(String, String)] = []
    ) async throws -> TestResponse {
        let path = "/sessions/" + id
        return try await api.send(
            body.map { TestRequest("PUT", path, fields, json: $0) } ?? TestRequest("PUT", path, fields))
    }

    @Test(arguments: ids)
    func theSessionHasTheIDOfTheClient(_ id: String) async throws {
        try await TestAPI.run { api in
            let created = try await Self.put(api, id)
            #expect(created.status == 201)
            #expect(created["location"] == "/sessions/\(id)")
            #expect(created.taggedRevision == 0)
            #expect(created[json: "id"] == .string(id) && created[json: "store"] == "planner")
            #expect(created.at("/state/tasks") != nil)
            let session = LiveSession(server: api, path: "/sessions/" + id)
            #expect(try await session.dispatch("tasks/add", ["title": "one"]).status == 200)
            #expect(try await session.events().state().revision == 1)
            #expect(try await session.read("/actions").at("/actions/0/type") == "tasks/add")
            #expect(!api.log.text.contains(id))
            for body in [["store": "planner"], nil] as [JSONValue?] {
                let again = try await Self.put(api, id, body)
                #expect(again.status == 200)
                #expect(again[json: "id"] == .string(id) && again[json: "revision"] == 1)
                #expect(again[json: "state"] == nil)
            }
            let other = try await Self.put(api, id, ["store": "app"])
            #expect(other.status == 409 && other.code == "session-conflict")
            #expect(try await session.delete().status == 204)
            let late = try await Self.put(api, id)
            #expect(late.status == 410 && late.code == "session-ended")
        }
    }

    @Test func withoutABodyItIsOfTheDefaultStore() async throws {
        try await TestAPI.run { api in
            let created = try await Self.put(api, Self.ids[0], nil)
            #expect(created.status == 201 && created[json: "store"] == "app")
        }
    }

    @Test(arguments: [
        "0123456789abcdefABCDE", String(repeating: "a", count: 65), "0123456789abcdefABCDE+",
        "0123456789abcdefABCDE%2F",
        "0123456789abcdefABCD==", "0123456789.abcdefABCDEF", "nobody", "%C3%A9123456789abcdefABCDEF",
    ])
    func otherIDsAreRefused(_ id: String) async throws {
        try await TestAPI.run { api in
            let refused = try await Self.put(api, id)
            #expect(refused.status == 400 && refused.code == "malformed-request")
            #expect(refused[json: "detail"]?.asString?.contains("22 to 64") == true)
            #expect(try await api.get("/sessions/" + id).code == "no-such-session")
        }
    }

    @Test(arguments: [
        (#"{"store":"nothing"}"#, 404, "no-such-store"), (#"{"store":7}"#, 422, "invalid-payload"),
        (#"["app"]"#, 422, "invalid-payload"), ("{", 400, "malformed-json"),
    ])
    func theBodyMustNameAKind(_ body: String, _ status: Int, _ code: String) async throws {
        try await TestAPI.run { api in
            let request = TestRequest(
                "PUT", "/sessions/" + Self.ids[0], [("Content-Type", "application/json")], body: Array(body.utf8))
            let response = try await api.send(request)
            #expect(response.status == status && response.code == code)
            #expect(try await api.get("/sessions/" + Self.ids[0]).status == 404)
        }
    }

    @Test(arguments: [false, true])
    func oneOfManyCreatesTheSession(_ isDurable: Bool) async throws {
        let body: @Sendable (LiveServer) async throws -> Void = { server in
            for id in Self.ids {
                let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                    for _ in 0..<32 { group.addTask { try await Self.put(server, id) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.filter { $0.status == 201 }.count == 1)
                #expect(answers.filter { $0.status == 200 }.count == 31)
                #expect(Set(answers.compactMap { $0[json: "createdAt"]?.asString }).count == 1)
            }
            #expect(server.running.residentSessions == Self.ids.count)
        }
        if isDurable { try await DurableServer().run(body) } else { try await LiveServer.run(body) }
    }

    @Test func theSessionSurvivesARestart() async throws {
        let durable = try DurableServer()
        try await durable.runAPI { api in
            for id in Self.ids {
                let created = try await Self.put(api, id)
                #expect(created.status == 201)
                let session = LiveSession(server: api, path: "/sessions/" + id)
                #expect(try await session.dispatch("tasks/add", ["title": "one"]).status == 200)
            }
            #expect(try await api.delete("/sessions/" + Self.ids[4]).status == 204)
        }
        let configuration = Configuration.with { $0.admin.token = .init("a-token-of-some-length") }
        try await durable.runAPI(configuration: configuration) { api in
            #expect(try await Self.put(api, Self.ids[4]).status == 410)
            for id in Self.ids.dropLast() {
                let found = try await Self.put(api, id)
                #expect(found.status == 200 && found[json: "revision"] == 1)
                #expect(try await Self.put(api, id, ["store": "app"]).code == "session-conflict")
            }
            var (listed, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await api.get(
                    "/admin/sessions?limit=1" + (after.map { "&after=\($0)" } ?? ""),
                    [("Authorization", "Bearer a-token-of-some-length")])
                listed += page[json: "sessions"]?.asArray?.compactMap { $0["id"]?.asString } ?? []
                after = page[json: "next"]?.asString
            } while after != nil && listed.count < 10
            #expect(listed == Self.ids.dropLast().sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }

    @Test func theLimitOfSessionsCountsThem() async throws {
        try await TestAPI.run(configuration: .with { $0.sessions.max = 2 }) { api in
            for id in Self.ids.prefix(2) { #expect(try await Self.put(api, id).status == 201) }
            let refused = try await Self.put(api, Self.ids[2])
            #expect(refused.status == 429 && refused.code == "too-many-sessions")
            #expect(try await Self.put(api, Self.ids[0]).status == 200)
            #expect(try await api.delete("/sessions/" + Self.ids[0]).status == 204)
            #expect(try await Self.put(api, Self.ids[2]).status == 201)
        }
    }

    /// A repeat creates nothing, so it does not count.
    @Test func theRateLimitCountsCreations() async throws {
        let configuration = Configuration.with { $0.limits.sessions = .init(rate: 0.001, burst: 2) }
        try await TestAPI.run(clock: ManualClock().clock, configuration: configuration) { api in
            let first = try await Self.put(api, Self.ids[0])
            #expect(first.status == 201)
            #expect(try await Self.put(api, Self.ids[0]).status == 200)
            #expect(try await Self.put(api, Self.ids[1]).status == 201)
            #expect(try await Self.put(api, Self.ids[2]).code == "rate-limited")
            #expect(try await Self.put(api, Self.ids[0]).status == 200)
        }
    }

    @Test func pagesOfForeignOriginsMayNotCreateOne() async throws {
        try await TestAPI.run { api in
            let refused = try await Self.put(api, Self.ids[0], nil, [("Origin", "https://example.org")])
            #expect(refused.status == 403)
            #expect(try await api.get("/sessions/" + Self.ids[0]).status == 404)
        }
    }
}
