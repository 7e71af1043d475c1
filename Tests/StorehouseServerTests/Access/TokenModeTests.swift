import HTTP
import JSON
import Security
import Sessions
import StorehouseServer
import Testing

@Suite("In token mode")
struct TokenModeTests {
    private static func run(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestAPI) async throws -> Void
    ) async throws {
        try await TestAPI.run(configuration: TestTokens.configuration(change), body)
    }

    /// Every method of every resource that needs a permission, with a body that is right.
    private static func requests(_ session: String) -> [(permission: Permission, request: TestRequest)] {
        Route.allCases.flatMap { route in
            ["GET", "HEAD", "POST", "PUT", "DELETE"].compactMap { method in
                // Which share there is differs.
                guard case .permission(let rule)? = route.accessRule(for: HTTPMethod(method)), route != .share
                else { return nil }
                // A token that may read may see who else does.
                let permission = rule == .presence ? .read : rule
                let path = route.path.replacing("/sessions/{id}", with: session)
                guard method == "POST" || method == "PUT" else { return (permission, TestRequest(method, path)) }
                return (permission, TestRequest(method, path, json: body(of: route)))
            }
        }
    }

    private static func body(of route: Route) -> JSONValue {
        switch route {
        case .actions, .signals: ["type": "counter/increment"]
        case .sync: ["client": .string(TestOutbox.usualClient), "new": true, "from": 1]
        default: [:]
        }
    }

    @Test("nothing below /sessions and /stores can be used without a token, and the rest can")
    func needsToken() async throws {
        try await Self.run { api in
            let path = try await api.sessionPath(of: "alice")
            let requests = Self.requests(path).map(\.request) + [TestRequest("GET", "/stores")]
            for request in requests {
                for fields in [
                    [], [("Authorization", "Bearer")], [("Authorization", "Bearer ")],
                    [("Authorization", "Basic YTpi")],
                    TestTokens.field("x"), TestTokens.field(TestTokens.admin),
                    TestTokens.field(TestTokens.token("alice", expiresIn: -61)),
                    TestTokens.field(TestTokens.token("alice", secret: "another-secret-of-at-least-32-bytes")),
                    [("X-Authorization", "Bearer " + TestTokens.token("alice"))],
                ] {
                    var request = request
                    request.fields += fields
                    let response = try await api.send(request)
                    #expect(response.status == 401, "\(request.method) \(request.path)")
                    #expect(response["www-authenticate"]?.hasPrefix("Bearer realm=\"storehouse\"") == true)
                    let hasToken = fields.contains {
                        $0.0 == "Authorization" && $0.1.count > 7 && $0.1.hasPrefix("Bearer")
                    }
                    #expect(response["www-authenticate"]?.contains("invalid_token") == hasToken)
                    if request.method != "HEAD" { #expect(response.code == "unauthorized") }
                }
                #expect(try await api.send(TestRequest("OPTIONS", request.path)).status == 204)
            }
            for path in ["/", "/openapi.json", "/healthz", "/readyz", "/metrics"] {
                #expect(try await api.get(path).status == 200)
            }
            #expect(try await api.get("/stores", TestTokens.field(of: "anybody")).status == 200)
        }
    }

    @Test("a token is needed below /sessions and /stores for what there is not, too")
    func needsTokenForNothing() async throws {
        try await Self.run {
            $0.http.basePath = "/base"
        } _: { api in
            let id = "/sessions/AAAAAAAAAAAAAAAAAAAAAA"
            for (method, path, status) in [
                ("DELETE", "/sessions", 405), ("PATCH", id, 405), ("PUT", "/sessions/me", 405),
                ("POST", "/stores", 405),
                ("GET", id + "/nothing", 404), ("GET", "/stores/shop", 404), ("GET", "/stores/app/x", 404),
                ("GET", "/sessions/", 404),
                ("POST", id + "/actions?dryrun=true", 400),
            ] {
                let response = try await api.send(method, "/base" + path, as: nil)
                #expect(response.status == 401 && response.code == "unauthorized", "\(method) \(path)")
                #expect(
                    try await api.send(method, "/base" + path, as: "alice").status == status, "\(method) \(path)")
            }
            for path in ["/base/nothing", "/sessions", "/base/shared/x/nothing"] {
                #expect(try await api.get(path).status == 404)
            }
        }
    }

    @Test("two Authorization fields, and tokens in queries and cookies, are refused")
    func refusesOtherPlaces() async throws {
        try await Self.run { api in
            let token = TestTokens.token("alice")
            let both = TestTokens.field(of: "alice") + TestTokens.field(of: "alice")
            let response = try await api.get("/stores", both)
            #expect(response.status == 401 && response["www-authenticate"]?.contains("invalid_request") == true)
            for name in ["access_token", "token", "authorization", "jwt", "bearer"] {
                #expect(try await api.get("/stores?\(name)=\(token)").status == 401)
            }
            #expect(try await api.get("/stores", [("Cookie", "token=\(token)")]).status == 401)
            #expect(try await api.get("/stores", [("authorization", "bearer   \(token)")]).status == 200)
        }
    }

    @Test(
        "a session belongs to the subject that created it: somebody else gets 403 everywhere, as for an id of no session"
    )
    func belongsToSubject() async throws {
        try await Self.run { api in
            let path = try await api.sessionPath(of: "alice")
            #expect(try await api.send("GET", path, as: "alice").json["owner"] == "alice")
            let unknown = "/sessions/AAAAAAAAAAAAAAAAAAAAAA"
            for (permission, request) in Self.requests(path) where request.path != "/sessions" {
                // A PUT may create the session that there is none of.
                let other = request.method == "PUT" ? path : unknown
                for path in [request.path, request.path.replacing(path, with: other)] {
                    var request = request
                    request.path = path
                    request.fields += TestTokens.field(of: "bob")
                    let response = try await api.send(request)
                    #expect(response.status == 403, "\(request.method) \(request.path) \(permission)")
                    if request.method != "HEAD" { #expect(response.code == "forbidden") }
                    #expect(!response.text.contains("alice"))
                }
            }
            let ids: JSONValue = ["sessions": [.string(String(path.dropFirst("/sessions/".count)))]]
            #expect(try await api.send("GET", path, as: "bob", ids).status == 200)
            #expect(try await api.send("DELETE", path, as: "alice").status == 204)
            #expect(try await api.send("GET", path, as: "alice").status == 410)
            #expect(try await api.send("GET", path, as: "bob", ids).status == 410)
            #expect(try await api.send("GET", path, as: "bob").status == 403)
            #expect(try await api.send("GET", path + "/events", as: "alice").status == 204)
            #expect(try await api.send("GET", path + "/events", as: "bob").status == 403)
        }
    }

    @Test("a refused request is no use of the session, which would keep it from expiring")
    func refusalsAreNoUse() async throws {
        let clock = ManualClock(WallClock().now())
        try await TestAPI.run(clock: clock.clock, configuration: TestTokens.configuration()) { api in
            let path = try await api.sessionPath(of: "alice")
            let id = String(path.dropFirst("/sessions/".count))
            func lastUse() async throws -> JSONValue? {
                try await api.get("/admin/sessions/" + id, TestTokens.field(TestTokens.admin)).json["lastActiveAt"]
            }
            let answer = try await api.send("POST", path + "/shares", as: "alice", nil, [:])
            let share = try TestShare(answer, of: api)
            #expect(try await api.send("DELETE", path + "/shares", as: "alice").status == 204)
            let used = try await lastUse()
            clock.advance(by: 10_000)
            #expect(try await share.state().status == 404)
            #expect(try await api.send("GET", path, as: "bob").status == 403)
            #expect(try await api.send("GET", path, as: "alice", ["stores": []]).status == 403)
            #expect(try await lastUse() == used)
            #expect(try await api.send("GET", path, as: "alice").status == 200)
            #expect(try await lastUse() != used)
        }
    }

    @Test("each request needs its permission, whether the session exists or not")
    func needsPermission() async throws {
        try await Self.run { api in
            for needed in Permission.ofTokens where needed != .admin {
                let path = try await api.sessionPath(of: "alice")
                for (permission, request) in Self.requests(path) {
                    var request = request
                    // Without the one that is needed, and with it alone.
                    let others = Permission.allCases.filter { $0 != permission }.map { JSONValue.string($0.rawValue) }
                    request.fields += TestTokens.field(of: "alice", ["may": .array(others)])
                    #expect(try await api.send(request).status == 403, "\(request.method) \(request.path)")
                }
                for (permission, request) in Self.requests(path) where permission == needed {
                    guard !request.path.hasSuffix("/events") else { continue }
                    var request = request
                    // A share allows nothing that its maker may not do.
                    let may = [permission, request.path.hasSuffix("/shares") ? .read : permission].map(\.rawValue)
                    request.fields += TestTokens.field(of: "alice", ["may": .array(may.map(JSONValue.string))])
                    let status = try await api.send(request).status
                    #expect([200, 201, 204].contains(status), "\(request.method) \(request.path) \(status)")
                }
            }
        }
    }

    @Test("a token can be limited to kinds")
    func stores() async throws {
        try await Self.run { api in
            let (app, login) = (
                try await api.sessionPath(of: "alice"), try await api.sessionPath(of: "alice", store: "login")
            )
            let only: JSONValue = ["stores": ["login"]]
            for (store, status) in [("app", 403), ("login", 201)] {
                let response = try await api.send("POST", "/sessions", as: "alice", only, ["store": .string(store)])
                #expect(response.status == status)
            }
            #expect(try await api.send("GET", app, as: "alice", only).status == 403)
            #expect(try await api.send("GET", login, as: "alice", only).status == 200)
            #expect(try await api.send("POST", app + "/forks", as: "alice", only).status == 403)
            #expect(try await api.send("GET", "/sessions/me?store=app", as: "alice", only).status == 403)
        }
    }

    @Test("a fork belongs to the subject that makes it, and needs create")
    func forks() async throws {
        try await Self.run { api in
            let path = try await api.sessionPath(of: "alice")
            let id = String(path.dropFirst("/sessions/".count))
            let listed: JSONValue = ["sessions": [.string(id)], "may": ["read", "create"]]
            let fork = try await api.send("POST", path + "/forks", as: "bob", listed)
            #expect(fork.status == 201 && fork.json["owner"] == "bob")
            let location = try #require(fork["location"])
            #expect(try await api.send("GET", location, as: "bob").status == 200)
            #expect(try await api.send("GET", location, as: "alice").status == 403)
        }
    }

    @Test("another action in the place of one in a fork needs act, as any action", arguments: ["", "?dryRun=true"])
    func replacements(query: String) async throws {
        try await Self.run { api in
            let path = try await api.sessionPath(of: "alice")
            let increment: JSONValue = ["type": "counter/increment"]
            #expect(try await api.send("POST", path + "/actions", as: "alice", nil, increment).status == 200)
            let body: JSONValue = ["revision": 0, "replay": ["replace": ["1": increment]]]
            for (rights, isAllowed) in [(["read", "create"], false), (["create", "act"], true)] as [(JSONValue, Bool)] {
                let fork = try await api.send("POST", path + "/forks" + query, as: "alice", ["may": rights], body)
                #expect(fork.status == (isAllowed ? query.isEmpty ? 201 : 200 : 403))
            }
        }
    }

    @Test("the admin token and tokens with admin open /admin, and nothing else does")
    func admin() async throws {
        try await Self.run { api in
            _ = try await api.sessionPath(of: "alice")
            let path = "/admin/sessions"
            #expect(try await api.get(path).status == 401)
            #expect(try await api.send("GET", path, as: "alice").status == 403)
            #expect(try await api.get(path, TestTokens.field("no-token")).status == 401)
            let list = try await api.send("GET", path, as: "root", ["may": ["admin"]])
            #expect(list.status == 200 && list.at("/sessions/0/owner") == "alice")
            #expect(try await api.get(path, TestTokens.field(TestTokens.admin)).status == 200)
            // The sessions are of every kind.
            for stores in [["app"], []] as [JSONValue] {
                let limited: JSONValue = ["may": ["admin"], "stores": stores]
                for path in [path, path + "/AAAAAAAAAAAAAAAAAAAAAA"] {
                    #expect(try await api.send("GET", path, as: "root", limited).status == 403)
                    #expect(try await api.send("DELETE", path, as: "root", limited).status != 204)
                }
            }
            // It is of all sessions to look at, not to use.
            let session = try #require(list.at("/sessions/0/links/self")?.asString)
            #expect(try await api.send("GET", session, as: "root", ["may": ["admin", "read"]]).status == 403)
        }
    }

    @Test("operators read the state, the log and the stream of any session, and act in none")
    func operatorsRead() async throws {
        let clock = ManualClock(WallClock().now())
        try await TestAPI.run(clock: clock.clock, configuration: TestTokens.configuration()) { api in
            let path = try await api.sessionPath(of: "alice")
            let action: JSONValue = ["type": "counter/increment"]
            #expect(try await api.send("POST", path + "/actions", as: "alice", nil, action).status == 200)
            let used = try await api.get("/admin" + path, TestTokens.field(TestTokens.admin)).json["lastActiveAt"]
            clock.advance(by: 10_000)
            for field in [
                TestTokens.field(TestTokens.admin), TestTokens.field(of: "root", ["may": ["admin"]]),
            ] {
                let state = try await api.get("/admin" + path + "/state?select=/counter", field)
                #expect(state.at("/state/count") == 1)
                let log = try await api.get("/admin" + path + "/actions?changes=true", field)
                #expect(log.at("/actions/0/type") == "counter/increment")
                for method in ["POST", "PUT", "DELETE"] {
                    let request = TestRequest(method, "/admin" + path + "/actions", field, json: action)
                    #expect(try await api.send(request).status == 405)
                }
                #expect(try await api.get("/admin" + path + "/shares", field).status == 404)
            }
            let field = TestTokens.field(TestTokens.admin)
            let document = try await api.get("/admin" + path, field).json
            #expect(document["lastActiveAt"] == used && document["revision"] == 1)
            let client = try api.client()
            try await client.send(TestRequest("GET", "/admin" + path + "/events", field).bytes)
            #expect(try await EventReader(client).state().revision == 1)
            for part in ["/state", "/actions", "/events"] {
                #expect(try await api.get("/admin" + path + part).status == 401)
                #expect(try await api.send("GET", "/admin" + path + part, as: "alice").status == 403)
            }
        }
    }

    @Test("a share needs the permission to share, allows no more than its maker may, and needs no token")
    func shares() async throws {
        try await Self.run { api in
            let path = try await api.sessionPath(of: "alice")
            func share(_ may: JSONValue, as permissions: JSONValue) async throws -> TestResponse {
                try await api.send("POST", path + "/shares", as: "alice", ["may": permissions], ["may": may])
            }
            #expect(try await share(["read"], as: ["read"]).status == 403)
            #expect(try await share(["read"], as: ["share"]).status == 403)
            #expect(try await share(["read", "act"], as: ["share", "read"]).status == 403)
            #expect(try await share(["delete"], as: ["share", "read"]).status == 403)
            #expect(try await share(["delete"], as: ["share", "delete"]).status == 422)
            #expect(try await share(["act"], as: ["share", "read", "act"]).status == 201)
            #expect(try await api.send("POST", path + "/shares", as: "bob", nil, [:]).status == 403)
            #expect(try await api.send("POST", path + "/shares", as: "alice", ["may": ["share"]]).status == 403)
            let made = try TestShare(try await share(["read"], as: ["share", "read"]), of: api)
            #expect(try await made.state().status == 200)
            #expect(try await made.state("", TestTokens.field("wrong")).status == 200)
            #expect(try await made.events().state().revision == 0)
            #expect(try await made.post(["type": "counter/increment"]).status == 403)
            #expect(try await made.post(["type": "counter/increment"], "", TestTokens.field(of: "alice")).status == 403)
            #expect(try await api.send("DELETE", path + "/shares", as: "bob").status == 403)
            #expect(try await api.send("DELETE", path + "/shares", as: "alice", ["may": ["read"]]).status == 403)
            #expect(try await made.state().status == 200)
            #expect(try await api.send("DELETE", path + "/shares", as: "alice", ["may": ["share"]]).status == 204)
            #expect(try await made.state().status == 404)
            let mine = try await api.send("POST", "/sessions/me/shares", as: "alice", nil, ["may": ["act"]])
            let actions = try #require(mine.at("/links/actions")?.asString)
            #expect(try await api.post(actions, json: ["type": "counter/increment"]).revision == 1)
            #expect(try await api.send("GET", "/sessions/me/state", as: "alice").revision == 1)
            #expect(try await api.send("DELETE", "/sessions/me/shares", as: "alice").status == 204)
            #expect(try await api.post(actions, json: ["type": "counter/increment"]).status == 404)
        }
    }

    @Test("a stream ends with expired when its token does, also after the clock was set")
    func streamsExpire() async throws {
        let (clock, wall) = (ManualClock(), ManualClock(WallClock().now()))
        let clocks = WallClock(now: { wall.now }, steady: { clock.now })
        let configuration = TestTokens.configuration { $0.streams.heartbeat = .milliseconds(50) }
        try await TestAPI.run(clock: clocks, configuration: configuration) { api in
            let path = try await api.sessionPath(of: "alice")
            let client = try api.client()
            let field = TestTokens.field(TestTokens.token("alice", expiresIn: 3600))
            try await client.send(TestRequest("GET", path + "/events", field).bytes)
            let stream = try await EventReader(client)
            _ = try await stream.state()
            // With the leeway it is valid for a little longer.
            wall.advance(by: 3_590_000)
            guard case .comment = try await stream.item() else { throw Wire.Failure.malformed("no heartbeat") }
            // The token was made a little later than the clock.
            wall.advance(by: 670_000)
            let closed = try #require(try await stream.event())
            #expect(closed.name == "closed" && closed.data == ["reason": "expired"])
            #expect(try await stream.item() == nil)
            #expect(try await api.get("/stores", field).status == 401)
        }
    }

    @Test("no log line, metric or problem has a token, a subject or an id in it")
    func keepsSecrets() async throws {
        try await Self.run { api in
            let path = try await api.sessionPath(of: "alice-the-subject")
            let id = String(path.dropFirst("/sessions/".count))
            let tokens = [
                TestTokens.token("alice-the-subject"), TestTokens.token("alice-the-subject", expiresIn: -100),
                TestTokens.token("bob-the-other"), TestTokens.token("x", secret: "another-secret-of-at-least-32-bytes"),
            ]
            var secrets = [id, "the-subject", "the-other", TestTokens.secret]
            for token in tokens { secrets += token.split(separator: ".").dropFirst().map(String.init) }
            var texts: [String] = []
            for token in tokens {
                for (_, request) in Self.requests(path)
                where request.method != "DELETE" && !request.path.hasSuffix("/events") {
                    var request = request
                    request.fields += TestTokens.field(token)
                    let response = try await api.send(request)
                    if response.status >= 400 { texts.append(response.text + response.fields.map(\.value).joined()) }
                }
            }
            texts.append(try await api.get("/metrics").text)
            texts.append(api.log.text)
            for text in texts {
                for secret in secrets { #expect(!text.contains(secret), "\(text.prefix(300))") }
            }
        }
    }
}
