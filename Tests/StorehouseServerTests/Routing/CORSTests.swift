import HTTPServer
import JSON
import StorehouseServer
import Stores
import Testing

/// CORS: pages of another origin may read responses only if the configuration lists their origin.
@Suite struct CORSTests {
    private static let configuration = Configuration.with { $0.http.allowedOrigins = ["https://example.org"] }

    @Test func withoutConfigurationNoOriginIsAllowed() async throws {
        try await TestAPI.run { api in
            let response = try await api.get("/stores", [("Origin", "https://example.org")])
            #expect(response.status == 200)
            #expect(!response.fields.contains { $0.name.hasPrefix("access-control") })
        }
    }

    @Test(arguments: [
        ("https://example.org", true), ("https://example.com", false), ("https://example.org.evil.net", false),
        ("http://example.org", false), ("null", false), ("https://example.org.", false), ("https://Example.org", false),
        ("HTTPS://example.org", false), ("https://example.org:444", false),
    ])
    func onlyANamedOriginMayRead(_ origin: String, _ isAllowed: Bool) async throws {
        try await TestAPI.run(configuration: Self.configuration) { api in
            let session = try await api.session()
            var answers = [
                try await api.get("/stores", [("Origin", origin)]),
                try await session.dispatch("counter/increment", fields: [("Origin", origin)]),
                // The page must be able to read errors too.
                try await session.dispatch("betslip/placeBet", fields: [("Origin", origin)]),
                try await api.get("/nothing", [("Origin", origin)]),
            ]
            answers.append(try await session.events([("Origin", origin)]).head)
            for answer in answers {
                #expect(answer["access-control-allow-origin"] == (isAllowed ? origin : nil))
                #expect(answer["vary"]?.lowercased() == "origin")
                #expect(answer["access-control-allow-credentials"] == nil)
                let exposed = answer["access-control-expose-headers"]?.split(separator: ", ").map(String.init) ?? []
                let wanted = [
                    "ETag", "Idempotency-Replayed", "Link", "Location", "Preference-Applied", "Retry-After",
                    "Storehouse-Outcome", "X-Request-Id",
                ]
                #expect(Set(wanted).isSubset(of: exposed) == isAllowed)
            }
        }
    }

    /// Without these fields a browser reports a network error instead of the refusal.
    @Test(arguments: [
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\nContent-Length: 65537\r\n\r\n",
            413
        ),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n10001\r\n", 413
        ),
        ("GET /%zz HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n\r\n", 400),
        ("POST /sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\nContent-Length: 1\r\n\r\n", 408),
    ])
    func aNamedOriginMayReadWhyItsRequestWasRefused(_ request: String, _ status: Int) async throws {
        var configuration = Self.configuration
        configuration.http.bodyTimeout = .milliseconds(50)
        try await TestAPI.run(configuration: configuration) { api in
            let client = try api.client()
            try await client.send(request)
            let response = try await client.response()
            #expect(response.status == status)
            #expect(response["access-control-allow-origin"] == "https://example.org")
            #expect(response["vary"] == "Origin")
        }
    }

    @Test func aPreflightNamesMethodsAndFields() async throws {
        try await TestAPI.run(configuration: Self.configuration) { api in
            let session = try await api.session()
            let question = TestRequest(
                "OPTIONS", session.path + "/actions",
                [
                    ("Origin", "https://example.org"), ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "content-type,if-match,prefer"),
                ])
            let response = try await api.send(question)
            #expect(response.status == 204)
            #expect(response["access-control-allow-origin"] == "https://example.org")
            #expect(response["access-control-allow-methods"]?.contains("POST") == true)
            let fields = response["access-control-allow-headers"]?.lowercased() ?? ""
            for name in [
                "accept", "authorization", "content-type", "idempotency-key", "if-match", "if-none-match",
                "last-event-id",
                "prefer", "traceparent", "tracestate", "x-request-id",
            ] {
                #expect(fields.contains(name))
            }
            #expect(response["vary"] == "Origin")
            #expect(response["access-control-max-age"].flatMap { Int($0) } ?? 0 > 0)
        }
    }

    /// Without these fields the browser does not send the request itself.
    @Test func aPreflightOfAnotherOriginAllowsNothing() async throws {
        try await TestAPI.run(configuration: Self.configuration) { api in
            let response = try await api.send(
                TestRequest(
                    "OPTIONS", "/sessions",
                    [("Origin", "https://example.com"), ("Access-Control-Request-Method", "POST")]))
            #expect(!response.fields.contains { $0.name.hasPrefix("access-control") })
            #expect(response["vary"] == "Origin")
        }
    }

    @Test func aStarAllowsAll() async throws {
        try await TestAPI.run(configuration: .with { $0.http.allowedOrigins = ["*"] }) { api in
            let response = try await api.get("/stores", [("Origin", "https://anywhere.net")])
            #expect(["*", "https://anywhere.net"].contains(response["access-control-allow-origin"]))
        }
    }
}
