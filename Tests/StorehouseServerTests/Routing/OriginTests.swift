import Foundation
import JSON
import StorehouseServer
import Testing

/// A page of another origin changes nothing, whatever it sends, and a page that rebinds its name reads nothing.
@Suite struct OriginTests {
    /// Nobody listens there: requests only name it.
    private static let port = 8080
    private static let action = Array(#"{"type":"counter/increment"}"#.utf8)

    /// Sends a request as it stands, and returns the response.
    private static func send(_ text: String, to api: any TestServing) async throws -> TestResponse {
        let client = try api.client()
        try await client.send(text)
        return try await client.response()
    }

    @Test(arguments: [
        "https://evil.example", "null", "", "http://localhost.evil.example", "https://localhost:PORT",
        "http://localhost:1",
        "http://127.0.0.1:PORT", "http://localhost", "http://localhost:PORT/", "http://a@localhost:PORT",
        "http://localhost:PORT http://localhost:PORT", "chrome-extension://abcdef", "HTTP://LOCALHOST:PORT",
        "http://localhost.:PORT", "http://Localhost:PORT", "http://" + String(repeating: "a", count: 510),
    ])
    func aForeignOriginIsForbiddenOnEveryRoute(origin: String) async throws {
        try await TestAPI.run { api async throws in
            let session = try await api.session()
            let origin = origin.replacingOccurrences(of: "PORT", with: "\(Self.port)")
            let requests = [
                ("POST", "/sessions"), ("POST", session.path + "/actions"), ("POST", session.path + "/forks"),
                ("DELETE", session.path), ("PUT", session.path), ("PATCH", "/nothing"), ("POST", "/healthz"),
                ("DELETE", "/admin/sessions"), ("POST", "/sessions/nobody/actions?dryrun=1&dryrun=1"),
            ]
            for (method, path) in requests {
                let response = try await Self.send(
                    "\(method) \(path) HTTP/1.1\r\nHost: localhost:\(Self.port)\r\nOrigin: \(origin)\r\n"
                        + "Content-Type: application/json\r\nContent-Length: 28\r\n\r\n{\"type\":\"counter/increment\"}",
                    to: api)
                #expect(response.status == 403 && response.code == "forbidden", "\(method) \(path)")
            }
            #expect(try await session.revision() == 0)
            for method in ["GET", "HEAD", "OPTIONS"] {
                let path = method == "OPTIONS" ? "/sessions" : session.path
                let response = try await api.send(TestRequest(method, path, [("Origin", origin)]))
                #expect(response.status < 300, "\(method)")
                #expect(!response.fields.contains { $0.name.hasPrefix("access-control") })
            }
        }
    }

    /// It comes before anything else that a well-formed request is refused for.
    @Test(arguments: [
        ("Content-Length: 9999999", 413), ("Expect: x", 417), ("Transfer-Encoding: gzip, chunked", 501),
    ])
    func aForeignOriginComesFirst(field: String, status: Int) async throws {
        try await TestAPI.run { api async throws in
            for (origin, expected) in [
                ("https://evil.example", 403), ("http://localhost:\(Self.port)", status),
            ] {
                let response = try await Self.send(
                    "POST /sessions HTTP/1.1\r\nHost: localhost:\(Self.port)\r\nOrigin: \(origin)\r\n"
                        + "X-Request-Id: mine\r\n\(field)\r\n\r\n", to: api)
                #expect(response.status == expected)
                #expect(response["x-request-id"] == "mine" && response.json["requestId"] == "mine")
            }
        }
    }

    @Test(arguments: ["http://localhost:PORT"])
    func theOriginOfTheServerMayActWithJSON(origin: String) async throws {
        try await TestAPI.run { api async throws in
            let session = try await api.session()
            let origin = origin.replacingOccurrences(of: "PORT", with: "\(Self.port)")
            let head =
                "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost:\(Self.port)\r\nOrigin: \(origin)\r\n"
                + "Content-Length: 28\r\n"
            let body = String(decoding: Self.action, as: UTF8.self)
            let json = try await Self.send(head + "Content-Type: application/json\r\n\r\n" + body, to: api)
            #expect(json.status == 200)
            // A browser sends these without a preflight.
            for type in [
                "", "Content-Type: application/x-www-form-urlencoded\r\n", "Content-Type: text/plain\r\n",
                "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n",
            ] {
                let response = try await Self.send(head + type + "\r\n" + body, to: api)
                #expect(response.status == 415 && response.code == "unsupported-media-type", "\(type)")
            }
            #expect(try await session.revision() == 1)
            // A request without a body has no content type.
            let created = try await Self.send(
                "POST /sessions HTTP/1.1\r\nHost: localhost:\(Self.port)\r\nOrigin: \(origin)\r\n\r\n", to: api)
            #expect(created.status == 201)
        }
    }

    @Test(arguments: [
        ("[::1]:8080", "http://[::1]:8080", 200), ("[::1]:8080", "http://[0:0:0:0:0:0:0:1]:8080", 200),
        ("127.0.0.1", "http://127.0.0.1", 200), ("127.0.0.1:80", "http://127.0.0.1", 200),
        ("127.0.0.1:", "http://127.0.0.1", 200), ("127.0.0.1:443", "https://127.0.0.1", 403),
        ("127.0.0.1", "http://localhost", 403), ("127.0.0.1", "https://127.0.0.1", 403),
        ("LOCALHOST:1", "http://localhost:1", 200), ("localhost.:1", "http://localhost.:1", 200),
        ("localhost.:1", "http://localhost:1", 403), ("localhost:1", "http://localhost.:1", 403),
    ])
    func theOwnOriginIsThatOfTheHost(host: String, origin: String, status: Int) async throws {
        try await TestAPI.run { api async throws in
            let path = try await api.session().path
            let response = try await Self.send(
                "POST \(path)/actions HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 28\r\n\r\n{\"type\":\"counter/increment\"}",
                to: api)
            #expect(response.status == status)
        }
    }

    @Test func eachOfSeveralOriginsMustBeKnown() async throws {
        try await TestAPI.run(configuration: .with { $0.http.allowedOrigins = ["https://a.example"] }) {
            api async throws in
            let fields = [("Origin", "https://a.example"), ("Origin", "https://b.example")]
            #expect(try await api.post("/sessions", fields, json: ["store": "app"]).status == 403)
            #expect(try await api.post("/sessions", [fields[0], fields[0]], json: ["store": "app"]).status == 201)
            #expect(
                try await api.post("/sessions", [("Origin", "https://a.example:443")], json: ["store": "app"]).status
                    == 201)
        }
        try await TestAPI.run(configuration: .with { $0.http.allowedOrigins = ["*"] }) { api async throws in
            #expect(try await api.post("/sessions", [("Origin", "null")], json: ["store": "app"]).status == 201)
            // No page has an origin that is longer.
            for (length, status) in [(512, 201), (513, 403)] {
                let origin = "http://" + String(repeating: "a", count: length - 7)
                let response = try await api.post("/sessions", [("Origin", origin)], json: ["store": "app"])
                #expect(response.status == status)
                #expect(response["access-control-allow-origin"] == (status == 201 ? origin : nil))
            }
        }
    }

    /// The body need not arrive, and a client that waits for `100 Continue` gets the refusal instead.
    @Test(arguments: [
        "Content-Length: 60000\r\n", "Transfer-Encoding: chunked\r\n", "Content-Length: 10\r\nExpect: 100-continue\r\n",
    ])
    func aForeignOriginIsRefusedBeforeTheBody(framing: String) async throws {
        try await TestAPI.run { api async throws in
            let client = try api.client()
            try await client.send(
                "POST /sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a.example\r\n\(framing)\r\n")
            let response = try await client.response()
            #expect(response.status == 403)
            #expect(response["connection"] == "close")
            #expect(try await client.rest().isEmpty)
        }
    }

    /// The next request of the connection is found behind the body.
    @Test func aRefusedRequestWhoseBodyHasArrivedLeavesTheConnectionOpen() async throws {
        try await TestAPI.run { api async throws in
            let client = try api.client()
            let refused = TestRequest("POST", "/sessions", [("Origin", "https://a.example")], json: ["store": "app"])
            try await client.send(refused.bytes + TestRequest("GET", "/healthz").bytes)
            #expect(try await client.response().status == 403)
            #expect(try await client.response()[json: "status"] == "alive")
        }
    }

    @Test(arguments: [
        ("Host: evil.example", 421), ("Host: localhost.evil.example:80", 421), ("Host: 0.0.0.0", 421),
        ("Host: [::2]", 421), ("Host: 127.0.0.2", 421), ("Host: LOCALHOST.", 200), ("Host: localhost:1", 200),
        ("Host: [0::1]:9", 200), ("Host: localhost\r\nHost: localhost", 400), ("Host: ", 400), ("X: y", 400),
    ])
    func aLoopbackServerAnswersForItsNamesOnly(fields: String, status: Int) async throws {
        try await TestAPI.run { api async throws in
            let session = try await api.session().path
            let stream = status == 200 ? [] : [session + "/events"]
            for path in ["/", "/healthz", "/metrics", "/openapi.json", session + "/state", "/nothing"] + stream {
                let response = try await Self.send(
                    "GET \(path) HTTP/1.1\r\n\(fields)\r\nConnection: close\r\n\r\n", to: api)
                let expected = status == 200 && path == "/nothing" ? 404 : status
                #expect(response.status == expected, "\(path)")
                if status == 421 { #expect(response.code == "misdirected-request") }
            }
            for method in ["POST", "OPTIONS", "DELETE"] where status == 421 {
                let response = try await Self.send("\(method) \(session) HTTP/1.1\r\n\(fields)\r\n\r\n", to: api)
                #expect(response.status == 421, "\(method)")
            }
        }
    }

    /// DNS rebinding: page and request name the same foreign host.
    @Test func anOriginThatFitsAForeignHostIsMisdirected() async throws {
        try await TestAPI.run { api async throws in
            let response = try await Self.send(
                "POST /sessions HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n", to: api)
            #expect(response.status == 421)
            let foreign = try await Self.send(
                "POST /sessions HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://other.example\r\n\r\n", to: api)
            #expect(foreign.status == 403)
        }
    }

    @Test func theHostOfAnAbsoluteTargetCounts() async throws {
        try await TestAPI.run { api async throws in
            let head = "HTTP/1.1\r\nHost: "
            #expect(
                try await Self.send("GET http://localhost/stores \(head)evil.example\r\n\r\n", to: api).status == 200
            )
            #expect(try await Self.send("GET http://evil.example/ \(head)localhost\r\n\r\n", to: api).status == 421)
            #expect(try await Self.send("OPTIONS * \(head)evil.example\r\n\r\n", to: api).status == 421)
            #expect(try await Self.send("CONNECT a.example:443 \(head)a.example:443\r\n\r\n", to: api).status == 421)
        }
    }

    /// No browser sends HTTP/1.0, but some load balancers probe with it.
    @Test func anHTTP10RequestMayNameNoHost() async throws {
        try await TestAPI.run { api async throws in
            #expect(try await Self.send("GET /healthz HTTP/1.0\r\n\r\n", to: api).status == 200)
            #expect(
                try await Self.send("GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n", to: api).status == 421)
            let post = "POST /sessions HTTP/1.0\r\nOrigin: http://localhost\r\n\r\n"
            #expect(try await Self.send(post, to: api).status == 403)
        }
    }

    @Test func configuredHostsReplaceTheDefault() async throws {
        try await TestAPI.run(configuration: .with { $0.http.allowedHosts = ["Api.Example", "::1"] }) {
            api async throws in
            for (host, status) in [("api.example:8080", 200), ("[::1]", 200), ("localhost", 421), ("127.0.0.1", 421)] {
                let response = try await Self.send("GET /stores HTTP/1.1\r\nHost: \(host)\r\n\r\n", to: api)
                #expect(response.status == status, "\(host)")
            }
        }
    }

    /// On any other address the server has names that it does not know.
    @Test func aServerOnEveryAddressAnswersForEveryHost() async throws {
        try await LiveServer.run(configuration: .with { $0.http.host = "0.0.0.0" }) { server async throws in
            let response = try await Self.send("GET /stores HTTP/1.1\r\nHost: any.example\r\n\r\n", to: server)
            #expect(response.status == 200)
        }
    }

    /// Behind a proxy with TLS, the origin of the site is not that of the connection.
    @Test(arguments: [
        ("Host: site.example", "https://site.example", 201), ("Host: site.example", "http://site.example", 201),
        ("Host: site.example\r\nX-Forwarded-Proto: https", "https://site.example", 201),
        ("Host: site.example\r\nX-Forwarded-Proto: https", "http://site.example", 403),
        ("Host: inner\r\nX-Forwarded-Host: site.example\r\nX-Forwarded-Proto: https", "https://site.example", 201),
        (
            "Host: inner\r\nForwarded: for=192.0.2.1;host=\"site.example:8443\";proto=https",
            "https://site.example:8443", 201
        ),
        ("Host: inner\r\nForwarded: for=192.0.2.1;host=site.example", "https://other.example", 403),
    ])
    func behindATrustedProxyTheOriginIsThatOfTheSite(fields: String, origin: String, status: Int) async throws {
        let request = "POST /sessions HTTP/1.1\r\n\(fields)\r\nOrigin: \(origin)\r\n\r\n"
        func configuration(_ proxies: [String]) -> Configuration {
            .with {
                $0.http.allowedHosts = ["*"]
                $0.http.trustedProxies = proxies
            }
        }
        try await TestAPI.run(configuration: configuration(["127.0.0.0/8"])) { api async throws in
            #expect(try await Self.send(request, to: api).status == status)
        }
        // A stranger may not say so: without TLS of its own, the server has no origin with https.
        try await TestAPI.run(configuration: configuration(["192.0.2.0/24"])) { api async throws in
            let isPlain = fields == "Host: site.example" && origin.hasPrefix("http:")
            let isOwn = isPlain || origin == "http://site.example"
            #expect(try await Self.send(request, to: api).status == (isOwn ? 201 : 403))
        }
    }
}
