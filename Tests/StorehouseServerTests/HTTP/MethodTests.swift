import JSON
import Testing

/// The methods of each resource.
@Suite struct MethodTests {
    /// `{s}` stands for a session's path.
    private static let resources = [
        ("/", "GET, HEAD, OPTIONS"), ("/stores", "GET, HEAD, OPTIONS"),
        ("/stores/app", "GET, HEAD, OPTIONS"), ("/openapi.json", "GET, HEAD, OPTIONS"),
        ("/healthz", "GET, HEAD, OPTIONS"), ("/readyz", "GET, HEAD, OPTIONS"), ("/sessions", "POST, OPTIONS"),
        ("{s}", "GET, HEAD, PUT, DELETE, OPTIONS"), ("{s}/state", "GET, HEAD, OPTIONS"),
        ("{s}/actions", "GET, HEAD, POST, OPTIONS"), ("{s}/events", "GET, OPTIONS"),
        ("{s}/presence", "GET, HEAD, OPTIONS"), ("{s}/signals", "POST, OPTIONS"),
    ]

    @Test(arguments: resources)
    func optionsListsTheAllowedMethods(_ path: String, _ allowed: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await api.send(TestRequest("OPTIONS", session.path(path)))
            #expect(response.status == 204)
            #expect(response["allow"] == allowed)
        }
    }

    @Test(arguments: resources)
    func otherMethodsAreNotAllowed(_ path: String, _ allowed: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let known = Set(allowed.split(separator: ", ").map(String.init))
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"] where !known.contains(method) {
                let response = try await api.send(TestRequest(method, session.path(path)))
                #expect(response.status == 405, "\(method) \(path)")
                #expect(response["allow"] == allowed)
                if method != "HEAD" { #expect(response.code == "method-not-allowed") }
            }
            #expect(try await session.read().status == 200)
        }
    }

    @Test(arguments: resources.filter { $0.1.contains("GET, HEAD") }.map(\.0))
    func headRespondsLikeGetWithoutTheBody(_ path: String) async throws {
        try await TestAPI.run(clock: ManualClock().clock) { api in
            let session = try await api.session()
            let get = try await api.get(session.path(path))
            let head = try await api.send(TestRequest("HEAD", session.path(path)))
            #expect(get.status == 200)
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head["content-length"] == "\(get.body.count)")
            let names = get.fields.map(\.name)
            #expect(head.fields.map(\.name) == names)
            for name in names where !["date", "x-request-id"].contains(name) { #expect(head[name] == get[name]) }
        }
    }

    /// Errors too have the same head, with the length of a body that is not sent.
    @Test(arguments: ["/nothing", "/sessions/AAAAAAAAAAAAAAAAAAAAAA", "/%zz", String(repeating: "/a", count: 5000)])
    func headFailsLikeGetWithoutTheBody(_ path: String) async throws {
        try await TestAPI.run { api in
            let get = try await api.get(path)
            let head = try await api.send(TestRequest("HEAD", path))
            #expect(get.status >= 400)
            #expect(head.status == get.status)
            #expect(head.body.isEmpty)
            #expect(head["content-length"] == "\(get.body.count)")
            #expect(head.fields.map(\.name) == get.fields.map(\.name))
        }
    }

    @Test(arguments: [
        "/nothing", "/sessions/", "/Sessions", "/stores/", "/stores/app/", "/stores/app/x",
        "/sessions/AAAAAAAAAAAAAAAAAAAAAA/nothing",
        "/sessions/AAAAAAAAAAAAAAAAAAAAAA/state/more", "//", "/sessions%2Fx",
    ])
    func anUnknownPathIsNotFound(_ path: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.get(path)
            #expect(response.status == 404)
            #expect(response.code == "no-such-resource")
        }
    }

    @Test func thePathMayBePercentEncoded() async throws {
        try await TestAPI.run { api in
            #expect(try await api.get("/%73tores").status == 200)
            let session = try await api.session()
            let first = try #require(session.path.utf8.dropFirst(10).first)
            let encoded = "/sessions/%" + String(first, radix: 16) + session.path.dropFirst(11)
            #expect(try await api.get(encoded)[json: "links"]?["self"] == .string(session.path))
        }
    }

    @Test func optionsOfTheServerAsAWhole() async throws {
        try await TestAPI.run { api in
            let response = try await api.send(TestRequest("OPTIONS", "*"))
            #expect(response.status == 204)
            #expect(try await api.get("http://localhost/healthz").status == 200)
        }
    }

    /// Bytes behind CONNECT are meant for another server, even if it is refused.
    @Test func connectIsRefused() async throws {
        try await TestAPI.run { api in
            let client = try api.client()
            try await client.send("CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n")
            let response = try await client.response()
            #expect(response.status == 405)
            #expect(response["allow"] == "OPTIONS")
            #expect(response["connection"] == "close")
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test func everyResponseHasADate() async throws {
        try await TestAPI.run { api in
            for path in ["/", "/nothing", "/%zz"] {
                let date = try await api.get(path)["date"] ?? ""
                #expect(date.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil)
            }
        }
    }
}

extension LiveSession {
    fileprivate func path(_ template: String) -> String {
        template.hasPrefix("{s}") ? path + template.dropFirst(3) : template
    }
}
