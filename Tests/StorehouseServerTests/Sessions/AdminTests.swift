import JSON
import Observability
import StorehouseServer
import Testing

/// The list of sessions for operators.
@Suite struct AdminTests {
    private static let token = "a-token-of-some-length"

    private static func run(_ body: (TestAPI) async throws -> Void) async throws {
        try await TestAPI.run(configuration: .with { $0.admin.token = .init(token) }, body)
    }

    private static func list(_ api: any TestServing, _ query: String = "") async throws -> TestResponse {
        try await api.get("/admin/sessions" + query, [("Authorization", "bearer \(token)")])
    }

    @Test func allSessionsAreListedPageByPage() async throws {
        try await Self.run { api in
            #expect(try await Self.list(api).json == ["sessions": [], "next": nil])
            var ids: [String] = []
            for store in ["app", "login", "planner", "animal", "betting"] {
                let session = try await api.session(store)
                ids.append(String(session.path.dropFirst("/sessions/".count)))
            }
            ids.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            var (found, after): ([String], String?) = ([], nil)
            repeat {
                let page = try await Self.list(api, "?limit=2" + (after.map { "&after=\($0)" } ?? ""))
                #expect(page.status == 200)
                #expect(page["cache-control"] == "no-store")
                found += page[json: "sessions"]?.asArray?.compactMap { $0["id"]?.asString } ?? []
                after = page[json: "next"]?.asString
                // A cursor gives no right to use a session.
                #expect(after.map(ids.contains) != true)
            } while after != nil && found.count < 100
            #expect(found == ids)
            let document = try await Self.list(api, "?limit=1").at("/sessions/0")
            #expect(document?["revision"] == 0)
            #expect(document?["links"]?["self"]?.asString == "/sessions/\(ids[0])")
        }
    }

    @Test(arguments: [nil, "", "Bearer", "Bearer ", "Bearer wrong", "Basic YTpi", "Bearer a-token-of-some-lengtH"])
    func listingRequiresTheAdminToken(_ authorization: String?) async throws {
        try await Self.run { api in
            let session = try await api.session()
            let fields = authorization.map { [("Authorization", $0)] } ?? []
            let response = try await api.get("/admin/sessions", fields)
            #expect(response.status == 401)
            #expect(response.code == "unauthorized")
            #expect(response["www-authenticate"]?.hasPrefix("Bearer") == true)
            #expect(!response.text.contains(session.path.dropFirst("/sessions/".count)))
        }
    }

    @Test(arguments: [["Bearer \(token)", "Bearer wrong"], ["Bearer wrong", "Bearer \(token)"]])
    func twoCredentialsAreRefused(_ values: [String]) async throws {
        try await Self.run { api in
            let response = try await api.get("/admin/sessions", values.map { ("Authorization", $0) })
            #expect(response.status == 401 && response.code == "unauthorized")
            #expect(response["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
    }

    @Test(arguments: [false, true])
    func theListCanBeFiltered(_ isDurable: Bool) async throws {
        let body: @Sendable (TestAPI) async throws -> Void = { api in
            var planners: Set<String> = []
            for store in ["app", "planner", "login", "planner", "app", "planner"] {
                let session = try await api.session(store)
                if store == "planner" { planners.insert(session.path) }
            }
            var (found, after) = ([String](), Optional(""))
            while let cursor = after, found.count < 10 {
                let page = try await Self.list(api, "?store=planner&limit=2\(cursor)")
                let sessions = page[json: "sessions"]?.asArray ?? []
                #expect(sessions.allSatisfy { $0["store"] == "planner" } && (1...2).contains(sessions.count))
                found += sessions.compactMap { $0["links"]?["self"]?.asString }
                after = page[json: "next"]?.asString.map { "&after=\($0)" }
            }
            #expect(Set(found) == planners && found.count == 3)
            let next = try #require(try await Self.list(api, "?limit=1").json["next"]?.asString)
            let id = String(found[0].dropFirst("/sessions/".count))
            for other in [id, String(next.dropLast()), String(next.dropFirst()), next + "A", "A" + next, ""] {
                #expect(try await Self.list(api, "?after=\(other)").code == "malformed-request")
            }
            #expect(try await Self.list(api, "?store=nothing").json == ["sessions": [], "next": nil])
            #expect(try await Self.list(api, "?owner=somebody").json == ["sessions": [], "next": nil])
            #expect(try await Self.list(api, "?stores=app").code == "malformed-request")
            for mark in [Fingerprint.of(id), Fingerprint.of(id).uppercased()] {
                let marked = try await Self.list(api, "?mark=\(mark)")
                #expect(marked[json: "sessions"]?.asArray?.count == 1 && marked.at("/sessions/0/id")?.asString == id)
                #expect(try await Self.list(api, "?mark=\(mark)&store=login").at("/sessions/0") == nil)
            }
            for mark in ["", "35c5700", "35c5700b0", "35c5700g"] {
                #expect(try await Self.list(api, "?mark=\(mark)").code == "malformed-request")
            }
        }
        let configuration = Configuration.with { $0.admin.token = .init(Self.token) }
        if isDurable {
            try await DurableServer().runAPI(configuration: configuration, body)
        } else {
            try await TestAPI.run(configuration: configuration, body)
        }
    }

    @Test func aSessionIsShownWithoutBeingUsed() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with {
            $0.admin.token = .init(Self.token)
            $0.sessions.idleTimeout = .seconds(60)
        }
        try await TestAPI.run(clock: clock.clock, configuration: configuration) { api in
            let session = try await api.session()
            _ = try await session.increment()
            let own = try await session.read()
            clock.advance(by: 5000)
            let fields = [("Authorization", "Bearer \(Self.token)")]
            let shown = try await api.get("/admin" + session.path, fields)
            #expect(shown.status == 200 && shown["cache-control"] == "no-store")
            #expect(shown.json == own.json)
            #expect(try await api.send(TestRequest("HEAD", "/admin" + session.path, fields)).status == 200)
            clock.advance(by: 56_000)
            #expect(try await api.get("/admin" + session.path, fields).code == "session-ended")
            for id in ["nobody", "AAAAAAAAAAAAAAAAAAAAAA"] {
                #expect(try await api.get("/admin/sessions/" + id, fields).code == "no-such-session")
            }
        }
    }

    @Test func aSessionCanBeEnded() async throws {
        try await Self.run { api in
            let session = try await api.session()
            let events = try await session.events()
            _ = try await events.state()
            let request = TestRequest("DELETE", "/admin" + session.path)
            for fields in [[], [("Authorization", "Bearer wrong")]] {
                var refused = request
                refused.fields = fields
                let answer = try await api.send(refused)
                #expect(answer.code == "unauthorized" && answer["www-authenticate"]?.hasPrefix("Bearer") == true)
            }
            #expect(try await session.read().status == 200)
            let authorized = request.with("Authorization", "Bearer \(Self.token)")
            #expect(try await api.send(authorized).status == 204)
            #expect(try await events.event()?.data["reason"] == "session-ended")
            #expect(try await session.read().code == "session-ended")
            #expect(try await api.send(authorized).code == "session-ended")
            let answers = [
                ("/admin/sessions/", 404), ("/admin" + session.path + "/state", 410),
                ("/admin" + session.path + "/shares", 404), ("/admin", 404),
            ]
            for (path, code) in answers {
                #expect(try await api.get(path, [("Authorization", "Bearer \(Self.token)")]).status == code)
            }
        }
    }

    /// The document of a session that hibernates is loaded for the operator.
    @Test func aStoredSessionIsShownAndEnded() async throws {
        let durable = try DurableServer()
        let path = try await durable.runAPI { api in
            let session = try await api.session("planner")
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            return session.path
        }
        let configuration = Configuration.with { $0.admin.token = .init(Self.token) }
        try await durable.runAPI(configuration: configuration) { api in
            let fields = [("Authorization", "Bearer \(Self.token)")]
            let shown = try await api.get("/admin" + path, fields)
            #expect(shown[json: "revision"] == 1)
            #expect(try await api.send(TestRequest("DELETE", "/admin" + path, fields)).status == 204)
        }
        try await durable.runAPI(configuration: configuration) { api in
            let late = try await api.get(path)
            #expect(late.code == "session-ended")
        }
    }

    @Test(arguments: ["?after=nobody", "?limit=0", "?limit=1001", "?limit=x"])
    func invalidPagesAreRefused(_ query: String) async throws {
        try await Self.run { api in
            let response = try await Self.list(api, query)
            #expect(response.code == "malformed-request")
        }
    }

    @Test(arguments: LogFormat.allCases)
    func withoutATokenAdministrationIsOffAndTheStartSaysHowToSwitchItOn(_ format: LogFormat) async throws {
        try await LiveServer.run(configuration: .with { $0.log.format = format }) { server in
            let session = try await server.session()
            #expect(server.log.text.contains("/admin is off; set admin.token (STOREHOUSE_ADMIN_TOKEN)"))
            let fields = [[], [("Authorization", "Bearer ")], [("Authorization", "Bearer \(Self.token)")]]
            for fields in fields {
                for path in ["/admin/sessions", "/admin" + session.path] {
                    let response = try await server.get(path, fields)
                    #expect(response.status == 404)
                    #expect(response.code == "no-such-resource")
                    #expect(response.at("/detail")?.asString?.contains("STOREHOUSE_ADMIN_TOKEN") == true)
                }
            }
            let request = TestRequest("DELETE", "/admin" + session.path, [("Authorization", "Bearer \(Self.token)")])
            #expect(try await server.send(request).status == 404)
            #expect(try await session.read().status == 200)
        }
    }

    @Test func theLogNamesNoTokenAndNoSwitchIfThereIsOne() async throws {
        // Only a server that listens tells of the switch.
        try await LiveServer.run(configuration: .with { $0.admin.token = .init(Self.token) }) { server in
            let list = try await Self.list(server)
            #expect(list.status == 200)
            #expect(!server.log.text.contains("/admin is off"))
            #expect(!server.log.text.contains(Self.token))
        }
    }
}
