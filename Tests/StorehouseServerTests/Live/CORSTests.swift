import JSON
import StorehouseServer
import Testing

/// Pages of other origins: none may use the server unless the configuration names them.
@Suite struct CORSTests {
    private static let configuration = Configuration.with { $0.http.allowedOrigins = ["https://example.org"] }

    @Test func withoutConfigurationNoOriginIsAllowed() async throws {
        try await LiveServer.run { server in
            let response = try await server.get("/stores", [("Origin", "https://example.org")])
            #expect(response.status == 200)
            #expect(!response.fields.contains { $0.name.hasPrefix("access-control") })
        }
    }

    @Test(arguments: [
        ("https://example.org", true), ("https://example.com", false), ("https://example.org.evil.net", false),
        ("http://example.org", false), ("null", false),
    ])
    func onlyANamedOriginMayRead(_ origin: String, _ isAllowed: Bool) async throws {
        try await LiveServer.run(configuration: Self.configuration) { server in
            let session = try await server.session()
            var answers = [
                try await server.get("/stores", [("Origin", origin)]),
                try await session.dispatch("counter/increment", fields: [("Origin", origin)]),
                // Errors too, or the page would not learn what went wrong.
                try await session.dispatch("betslip/placeBet", fields: [("Origin", origin)]),
                try await server.get("/nothing", [("Origin", origin)]),
            ]
            answers.append(try await session.events([("Origin", origin)]).head)
            for answer in answers {
                #expect(answer["access-control-allow-origin"] == (isAllowed ? origin : nil))
                #expect(answer["vary"]?.lowercased() == "origin")
                #expect(answer["access-control-allow-credentials"] == nil)
                if isAllowed { #expect(answer["access-control-expose-headers"]?.contains("ETag") == true) }
            }
        }
    }

    @Test func aPreflightNamesMethodsAndFields() async throws {
        try await LiveServer.run(configuration: Self.configuration) { server in
            let session = try await server.session()
            let question = TestRequest(
                "OPTIONS", session.path + "/actions",
                [
                    ("Origin", "https://example.org"), ("Access-Control-Request-Method", "POST"),
                    ("Access-Control-Request-Headers", "content-type,if-match,prefer"),
                ])
            let response = try await server.send(question)
            #expect(response.status == 204)
            #expect(response["access-control-allow-origin"] == "https://example.org")
            #expect(response["access-control-allow-methods"]?.contains("POST") == true)
            let fields = response["access-control-allow-headers"]?.lowercased() ?? ""
            for name in ["content-type", "if-match", "prefer", "last-event-id"] { #expect(fields.contains(name)) }
            #expect(response["access-control-max-age"].flatMap { Int($0) } ?? 0 > 0)
        }
    }

    @Test func aStarAllowsAll() async throws {
        try await LiveServer.run(configuration: .with { $0.http.allowedOrigins = ["*"] }) { server in
            let response = try await server.get("/stores", [("Origin", "https://anywhere.net")])
            #expect(["*", "https://anywhere.net"].contains(response["access-control-allow-origin"]))
        }
    }
}
