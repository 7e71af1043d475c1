import JSON
import StorehouseServer
import StoresTesting
import Testing

/// `X-Request-Id` on every response, and `requestId` in every problem. Other tests require both of all responses that they
/// read, see `TestResponse.code` and `Wire.head()`.
@Suite struct RequestIDTests {
    private static let id = ("X-Request-Id", "my.Request_1-a")

    @Test func theIDOfTheClientIsEchoed() async throws {
        try await TestAPI.run(configuration: .with { $0.log.access = .all }) { api in
            let session = try await api.session()
            var answers = [
                try await api.get("/", [Self.id]), try await api.get("/openapi.json", [Self.id]),
                try await api.get("/metrics", [Self.id]), try await api.get("/nothing", [Self.id]),
                try await session.read("", [Self.id]), try await session.read("/state", [Self.id]),
                try await session.dispatch("counter/increment", fields: [Self.id]),
                try await session.dispatch("counter/increment", fields: [Self.id, ("Prefer", "return=minimal")]),
                try await session.dispatch("betslip/placeBet", fields: [Self.id]),
                try await api.send(TestRequest("OPTIONS", "/sessions", [Self.id])),
                try await api.send(TestRequest("HEAD", session.path, [Self.id])),
                try await api.post("/sessions", [Self.id, ("Origin", "https://example.org")], json: [:]),
            ]
            answers.append(try await session.events([Self.id]).head)
            for answer in answers {
                #expect(answer["x-request-id"] == Self.id.1)
                if answer.status >= 400, answer.method != "HEAD" {
                    #expect(answer[json: "requestId"] == .string(Self.id.1))
                }
            }
            try await api.log.line(with: "requestId=\(Self.id.1)")
        }
    }

    @Test(arguments: [
        [], [""], ["a b"], ["a\"b"], ["ü"], [String(repeating: "x", count: 65)], ["one", "two"], ["one, two"],
    ])
    func otherwiseTheServerMakesOne(_ values: [String]) async throws {
        try await TestAPI.run { api in
            let fields = values.map { ("X-Request-Id", $0) }
            var ids: Set<String> = []
            for path in ["/healthz", "/nothing", "/sessions/nobody/events"] {
                ids.insert(try #require(try await api.get(path, fields)["x-request-id"]))
            }
            #expect(ids.count == 3)
            #expect(ids.isDisjoint(with: values))
        }
    }

    /// A request that could not be parsed has an id too, its own as far as that was read.
    @Test(arguments: [
        ("GET /%zz HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n\r\n", 400, true),
        ("GET / HTTP/9.1\r\n\r\n", 505, false), ("nonsense\r\n\r\n", 400, false),
        ("PUT /sessions HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nContent-Length: 65537\r\n\r\n", 413, true),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "10001\r\n", 413, true
        ),
        ("POST /sessions HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nContent-Length: 1\r\n\r\n", 408, true),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n", 408, false),
        ("GET / HTTP/1.1\r\nHost: example.org\r\nX-Request-Id: mine\r\n\r\n", 421, true),
    ])
    func requestsThatAreRefusedHaveOneToo(_ request: String, _ status: Int, _ isOwn: Bool) async throws {
        let configuration = Configuration.with {
            $0.http.headerTimeout = .milliseconds(50)
            $0.http.bodyTimeout = .milliseconds(50)
        }
        try await TestAPI.run(configuration: configuration) { api in
            let client = try api.client()
            try await client.send(request)
            let response = try await client.response()
            #expect(response.status == status)
            #expect(response.code != nil)
            #expect((response["x-request-id"] == "mine") == isOwn)
        }
    }

    /// The requests of a connection have different ids, and a replayed answer has that of the repeat.
    @Test func aReplayedProblemHasTheIDOfTheRepeat() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let client = try api.client()
            let request = session.request("betslip/placeBet", fields: [("Idempotency-Key", "\"k\"")])
            let first = try await client.exchange(request)
            let second = try await client.exchange(request)
            let third = try await client.exchange(request.with("X-Request-Id", "third"))
            #expect(second["idempotency-replayed"] == "true" && second.code == "action-rejected")
            #expect(first["x-request-id"] != second["x-request-id"])
            #expect(third["x-request-id"] == "third" && third.code == "action-rejected")
        }
    }

    /// The response comes from another thread than the request.
    @Test func aResponseThatWaitsHasTheIDOfItsRequest() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            async let answer = session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600"), Self.id])
            await remote.called(times: 1)
            _ = try await session.increment()
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await answer["x-request-id"] == Self.id.1)
        }
    }
}
