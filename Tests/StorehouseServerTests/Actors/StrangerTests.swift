import HTTP
import JSON
import Security
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// Whoever has no right in the state of a session cannot tell it from a session that there is not.
@Suite("A stranger", .timeLimit(.minutes(10)))
struct StrangerTests {
    private static let unknown = "/sessions/AAAAAAAAAAAAAAAAAAAAAA"
    private static let long = String(repeating: " ", count: 100_000)

    /// Every method of every resource of a session, and requests that are wrong in each way.
    private static let requests: [TestRequest] = {
        let routes = Route.allCases.filter { $0.path.hasPrefix("/sessions/{id}") }
        var requests = routes.flatMap { route in
            ["GET", "HEAD", "POST", "DELETE", "PATCH"].compactMap { method -> TestRequest? in
                guard case .permission? = route.accessRule(for: HTTPMethod(method)) else { return nil }
                let below = String(route.path.dropFirst("/sessions/{id}".count))
                guard method == "POST" else { return TestRequest(method, below) }
                return TestRequest(method, below, json: route == .actions ? ClubSession.post : [:])
            }
        }
        func get(_ below: String, _ fields: [(String, String)] = []) {
            requests.append(TestRequest("GET", below, fields))
        }
        func post(_ below: String, _ body: String, _ fields: [(String, String)] = []) {
            let fields = [("Content-Type", "application/json")] + fields
            requests.append(TestRequest("POST", below, fields, body: Array(body.utf8)))
        }
        for query in [
            "select=/posts", "select=count", "select=nothing", "select=%2F~", "revision=0", "revision=1", "revision=99",
            "revision=x",
        ] { get("/state?" + query) }
        get("/state", [("If-None-Match", "\"1.0\"")])
        get("/state", [("If-Match", "nonsense")])
        get("/state", [("Accept", "text/html")])
        for query in ["after=0", "after=x", "before=9", "refused=true", "refused=true&after=1", "limit=0", "type="] {
            get("/actions?" + query)
        }
        for query in ["changes=patch", "changes=x", "select=nothing", "effects=true", "actions=true", "effects=x"] {
            get("/events?" + query)
        }
        get("/events", [("Last-Event-ID", "x-1")])
        get("/events", [("Accept", "text/plain")])
        get("/events", [("Accept", "image/png")])
        for body in [
            "", "{", "[]", "1", #"{"type":"club/nothing"}"#, #"{"type":"club/done"}"#,
            #"{"type":"club/grant","payload":{}}"#, #"[{"type":"club/post"},{"type":"club/nothing"}]"#, long + "{",
            long + #"{"type":"club/post"}"#,
        ] { post("/actions", body) }
        let action = #"{"type":"club/post"}"#
        for query in ["dryRun=true", "dryRun=x", "select=nothing"] { post("/actions?" + query, action) }
        post("/actions", action, [("Idempotency-Key", "no quotes")])
        post("/actions", action, [("Idempotency-Key", "\"key\"")])
        post("/actions", action, [("If-Match", "\"99.0\"")])
        post("/actions", action, [("Prefer", "wait=3600")])
        requests.append(TestRequest("POST", "/actions", [("Content-Type", "text/plain")], body: Array(action.utf8)))
        for body in [#"{"revision":0}"#, #"{"revision":99}"#, #"{"revision":-1}"#, "{"] { post("/forks", body) }
        for body in [#"{"may":["fly"]}"#, #"{"select":"nothing"}"#, #"{"expiresIn":0}"#, "{"] { post("/shares", body) }
        requests.append(TestRequest("DELETE", "", [("If-Match", "\"99.0\"")]))
        return requests
    }()

    /// An answer without what differs in every answer.
    private static func shape(_ response: TestResponse) -> [String] {
        let fields = response.fields.filter { $0.name != "date" && $0.name != "x-request-id" }
        return ["\(response.status)"] + fields.map { "\($0.name): \($0.value)" } + [response.textWithoutRequestID]
    }

    private static func answer(
        _ request: TestRequest, at path: String, as user: String, _ server: any TestServing
    ) async throws -> TestResponse {
        var request = request
        request.path = path + request.path
        request.fields += TestTokens.field(of: user)
        return try await server.send(request)
    }

    @Test("gets the same bytes for a session that it may not read as for one that there is not, whatever it sends")
    func equalBytes() async throws {
        try await AccessFunctionTests.run { session, _ in
            _ = try await session.grant([.act, .share, .delete], to: "bob")
            _ = try await session.post(as: "ada", [("Idempotency-Key", "\"key\"")])
            let large = try await ClubSession.make(on: session.server)
            let fill: JSONValue = ["type": "club/fill", "payload": ["kibibytes": 900]]
            #expect(try await large.post(fill, as: "ada", query: "?select=count").status == 200)
            let ended = try await ClubSession.make(on: session.server)
            #expect(try await ended.send("DELETE", "", as: "ada").status == 204)
            for request in Self.requests {
                let label =
                    "\(request.method) \(request.path) \(String(decoding: request.body?.suffix(60) ?? [], as: UTF8.self))"
                let expected = try await Self.answer(request, at: Self.unknown, as: "carol", session.server)
                #expect(expected.status >= 400 && expected.status < 500, "\(label)")
                for path in [session.path, large.path, ended.path] {
                    let answer = try await Self.answer(request, at: path, as: "carol", session.server)
                    #expect(Self.shape(answer) == Self.shape(expected), "\(label)")
                }
                // An actor who may do all but read learns nothing by reading. The list of shares is for those who may share.
                guard request.method == "GET", request.path != "/shares" else { continue }
                let answer = try await Self.answer(request, at: session.path, as: "bob", session.server)
                #expect(Self.shape(answer) == Self.shape(expected), "\(label)")
            }
            #expect(try await session.revision() == 2)
        }
    }

    @Test("gets the same answers from a node that does not have the session")
    func throughAnotherNode() async throws {
        try await AccessFunctionTests.run(.twoNodes) { own, other in
            #expect(try await own.post(as: "ada").status == 200)
            for request in Self.requests {
                let expected = try await Self.answer(request, at: Self.unknown, as: "carol", other.server)
                let answer = try await Self.answer(request, at: own.path, as: "carol", other.server)
                #expect(Self.shape(answer) == Self.shape(expected), "\(request.method) \(request.path)")
            }
        }
    }

    @Test("is told that an id is taken only by a PUT, with 403 in each case")
    func put() async throws {
        try await AccessFunctionTests.run { session, _ in
            let bodies: [JSONValue] = [[:], ["store": "club"]]
            var answers: Set<[String]> = []
            for body in bodies {
                let answer = try await session.send("PUT", "", as: "carol", json: body)
                #expect(answer.status == 403 && answer.code == "forbidden")
                answers.insert(Self.shape(answer))
            }
            #expect(answers.count == 1)
        }
    }

    @Test("of a kind without access is everybody but the owner and whom a token lists")
    func kindWithoutAccess() async throws {
        let plain = StoreDefinition("plain", "Nobody else.", Club()) {
            Member("posts", \.posts)
            Action("post", "Counts.") { club in club.posts += 1 }
        }
        try await LiveServer.run(
            kinds: [plain.kind], configuration: TestTokens.configuration { $0.sessions.defaultStore = "plain" }
        ) { server in
            let path = try await server.sessionPath(of: "ada", store: "plain")
            let expected = try await server.send("GET", Self.unknown + "/state", as: "bob")
            let answer = try await server.send("GET", path + "/state", as: "bob")
            #expect(answer.status == 403 && Self.shape(answer) == Self.shape(expected))
            // Also of a session that others may use: its kind is not told.
            #expect(answer.json["detail"]?.asString?.contains("no state lets the subject in") == true)
            #expect(try await server.send("GET", path + "/state", as: "ada").status == 200)
        }
    }

    @Test(
        "of a kind without access is refused before a session is restored, also while its owner asks for it",
        arguments: [false, true])
    func restoresNothing(isOnRedis: Bool) async throws {
        let plain = StoreDefinition("plain", "Nobody else.", Club()) {
            Member("posts", \.posts)
            Action("post", "Counts.") { club in club.posts += 1 }
        }
        let configuration = TestTokens.configuration { $0.sessions.defaultStore = "plain" }
        let storage = try DurableServer(onRedis: isOnRedis)
        let path = try await storage.runAPI(kinds: [plain.kind], configuration: configuration) { api in
            try await api.sessionPath(of: "ada", store: "plain")
        }
        try await storage.runAPI(kinds: [plain.kind], configuration: configuration) { api in
            let expected = try await api.send("GET", Self.unknown + "/state", as: "bob")
            for _ in 0..<3 {
                let answer = try await api.send("GET", path + "/state", as: "bob")
                #expect(answer.status == 403 && Self.shape(answer) == Self.shape(expected))
                #expect(api.api.residentSessions == 0)
            }
            let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for number in 0..<24 {
                    let user = number % 4 == 3 ? "ada" : "bob"
                    group.addTask { (user, try await api.send("GET", path + "/state", as: user).status) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0, default: []].append($1.1) }
            }
            #expect(statuses["ada"] == Array(repeating: 200, count: 6))
            #expect(statuses["bob"] == Array(repeating: 403, count: 18))
            #expect(api.api.residentSessions == 1)
            let last = try await api.send("GET", path + "/state", as: "bob")
            #expect(Self.shape(last) == Self.shape(expected))
        }
        try await storage.runAPI(kinds: [plain.kind], configuration: configuration) { api in
            let id = JSONValue.string(String(path.dropFirst("/sessions/".count)))
            let listed = TestTokens.field(of: "bob", ["sessions": [id]])
            let answer = try await api.get(path + "/state", listed)
            #expect(answer.status == 200)
        }
    }
}
