import JSON
import Sessions
import StorehouseServer
import Testing

@Suite("The personal session of a subject")
struct PersonalSessionTests {
    private static func id(_ server: LiveServer, _ subject: String, _ query: String = "") async throws -> String? {
        let response = try await server.send("GET", "/sessions/me" + query, as: subject)
        #expect(response.status == 200)
        return response.json["id"]?.asString
    }

    /// The ids that 64 clients get at the same time.
    private static func ids(_ server: LiveServer, _ subject: String) async throws -> Set<String?> {
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<64 { group.addTask { try await id(server, subject) } }
            var ids: Set<String?> = []
            while let id = try await group.next() { ids.insert(id) }
            return ids
        }
    }

    @Test("is created once for 64 clients at the same time", arguments: [false, true])
    func isCreatedOnce(isDurable: Bool) async throws {
        let body = { (server: LiveServer) async throws -> Void in
            let ids = try await Self.ids(server, "alice")
            #expect(ids.count == 1 && !ids.contains(nil))
            let list = try await server.get("/admin/sessions", TestTokens.field(TestTokens.admin))
            #expect(list.json["sessions"]?.asArray?.count == 1)
        }
        if isDurable {
            try await DurableServer().run(configuration: TestTokens.configuration(), body)
        } else {
            try await LiveServer.run(configuration: TestTokens.configuration(), body)
        }
    }

    @Test("stays after its first use as long as every used session")
    func firstUseCounts() async throws {
        let clock = ManualClock(WallClock().now())
        try await LiveServer.run(clock: clock.clock, configuration: TestTokens.configuration()) { server in
            let action = try await server.send(
                "POST", "/sessions/me/actions", as: "alice", nil, ["type": "counter/increment"])
            #expect(action.revision == 1)
            // A session that was never used ends after 600 seconds.
            clock.advance(by: 1_000_000)
            #expect(try await server.send("GET", "/sessions/me/state", as: "alice").revision == 1)
        }
    }

    @Test("is one for each subject and kind, beside those that are created otherwise, with everything below it")
    func isOneForEach() async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let other = try await server.sessionPath(of: "alice")
            let mine = try #require(try await Self.id(server, "alice"))
            #expect(other != "/sessions/" + mine)
            #expect(try await Self.id(server, "alice", "?store=app") == mine)
            #expect(try await Self.id(server, "bob") != mine)
            #expect(try await Self.id(server, "alice", "?store=login") != mine)
            let action = try await server.send(
                "POST", "/sessions/me/actions", as: "alice", nil, ["type": "counter/increment", "payload": ["by": 3]])
            #expect(action.status == 200 && action.revision == 1)
            let state = try await server.send("GET", "/sessions/me/state?select=/counter/count", as: "alice")
            #expect(state.json == ["revision": 1, "state": 3])
            #expect(try await server.send("GET", "/sessions/\(mine)/state", as: "alice").revision == 1)
            #expect(try await server.send("GET", "/sessions/me/state", as: "bob").revision == 0)
            #expect(try await server.send("GET", "/sessions/me/actions", as: "alice").status == 200)
            let fork = try await server.send("POST", "/sessions/me/forks", as: "alice")
            #expect(fork.status == 201 && fork.json["forkedFrom"] == ["revision": 1])
            #expect(try await Self.id(server, "alice") == mine)
            let client = try server.client()
            try await client.send(TestRequest("GET", "/sessions/me/events", TestTokens.field(of: "alice")).bytes)
            #expect(try await EventReader(client).state().revision == 1)

            let refused = try await server.send("PUT", "/sessions/me", as: "alice")
            #expect(refused.status == 405 && refused["allow"]?.contains("PUT") == false)
            #expect(try await server.send("GET", "/sessions/me?store=none", as: "alice").code == "no-such-store")
            #expect(try await server.send("GET", "/sessions/me?stores=app", as: "alice").status == 400)
            #expect(try await server.send("GET", "/sessions/me?store=app&store=app", as: "alice").status == 400)
            #expect(try await server.send("GET", "/sessions/me", as: nil).status == 401)
        }
    }

    @Test("is a new one after the old one was deleted")
    func isNewAfterDeletion() async throws {
        let body = { (server: LiveServer) async throws -> Void in
            var ids: Set<String?> = []
            for _ in 0..<5 {
                let id = try await Self.id(server, "alice")
                #expect(ids.insert(id).inserted)
                #expect(try await server.send("DELETE", "/sessions/me", as: "alice").status == 204)
            }
            #expect(
                try await server.send("DELETE", "/sessions/\((ids.first ?? nil) ?? "")", as: "alice").status == 410
            )
        }
        try await LiveServer.run(configuration: TestTokens.configuration(), body)
        try await DurableServer().run(configuration: TestTokens.configuration(), body)
    }

    @Test("is the same after a restart and after it hibernated, and a new one after it expired")
    func outlivesProcess() async throws {
        let file = try DurableServer()
        let clock = ManualClock(WallClock().now())
        let clocks = WallClock(now: { clock.now })
        let configuration = TestTokens.configuration {
            $0.sessions.maxResident = 1
            $0.sessions.idleTimeout = .seconds(86_400)
        }
        let first = try await file.run(clock: clocks, configuration: configuration) { server in
            let id = try await Self.id(server, "alice")
            _ = try await server.send("POST", "/sessions/me/actions", as: "alice", nil, ["type": "counter/increment"])
            for subject in ["bob", "carol", "dave"] { _ = try await Self.id(server, subject) }
            try await server.hibernates(to: 1)
            #expect(try await Self.id(server, "alice") == id)
            return id
        }
        try await file.run(clock: clocks, configuration: configuration) { server in
            #expect(try await Self.id(server, "alice") == first)
            #expect(try await server.send("GET", "/sessions/me/state", as: "alice").revision == 1)
            for subject in ["bob", "carol", "dave"] { _ = try await Self.id(server, subject) }
            try await server.hibernates(to: 1)
            clock.advance(by: 2 * 86_400_000)
            let field = TestTokens.field(TestTokens.token("alice", expiresIn: 3 * 86_400))
            let later = try await server.get("/sessions/me", field)
            #expect(later.status == 200 && later.json["id"]?.asString != first && later.revision == 0)
        }
    }

    @Test("needs create to be created, and nothing more than its permission later")
    func needsPermission() async throws {
        try await LiveServer.run(configuration: TestTokens.configuration()) { server in
            let reader: JSONValue = ["may": ["read"]]
            #expect(try await server.send("GET", "/sessions/me", as: "alice", reader).code == "forbidden")
            _ = try await Self.id(server, "alice")
            #expect(try await server.send("GET", "/sessions/me", as: "alice", reader).status == 200)
            #expect(try await server.send("DELETE", "/sessions/me", as: "alice", reader).status == 403)
        }
    }

    @Test("does not exist in capability mode")
    func capabilityMode() async throws {
        try await LiveServer.run { server in
            for path in ["", "/state", "/events", "/actions"] {
                #expect(try await server.get("/sessions/me" + path).status == 404)
            }
            let id = try await server.session()
            #expect(try await id.read().json["owner"] == nil)
        }
    }
}
