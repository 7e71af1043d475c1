import JSON
import Observability
import Sockets
import StorehouseServer
import Testing

/// Malformed requests are refused with a problem, and the connection closes.
@Suite struct RefusalTests {
    private static let long = String(repeating: "a", count: 9000)
    private static let large = String(repeating: "a", count: 17_000)

    @Test(arguments: [
        ("GET /healthz HTTP/1.1\r\n\r\n", 400, "malformed-request"),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n", 400, "malformed-request"),
        ("GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n", 400, "malformed-request"),
        ("GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed-request"),
        ("GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed-request"),
        ("GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed-request"),
        ("GET /healthz/../stores HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed-request"),
        ("GET /sessions/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "malformed-request"),
        ("\u{16}\u{3}\u{1}\u{2}\r\n\r\n", 400, "malformed-request"),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400,
            "malformed-request"
        ),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            400,
            "malformed-request"
        ),
        ("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400, "malformed-request"),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400,
            "malformed-request"
        ),
        ("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n", 413, "body-too-large"),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413,
            "body-too-large"
        ),
        ("GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414, "uri-too-long"),
        ("GET /\(large)", 414, "uri-too-long"),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\nContent-Length: 1\r\n\r\nx", 417,
            "expectation-failed"
        ),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(large)\r\n\r\n", 431, "headers-too-large"),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(large)", 431, "headers-too-large"),
        (
            "POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501,
            "not-implemented"
        ),
        ("GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n", 505, "http-version-not-supported"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "http-version-not-supported"),
    ])
    func aMalformedRequestGetsAProblemAndIsTheLast(_ request: String, _ status: Int, _ code: String) async throws {
        try await TestAPI.run { api in
            let client = try api.client()
            try await client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + request)
            #expect(try await client.response().status == 200)
            let response = try await client.response()
            #expect(response.status == status)
            #expect(response.code == code)
        }
    }

    @Test func afterARefusalNoFurtherRequestIsHandled() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let client = try api.client()
            let smuggled = String(decoding: session.request("counter/increment").bytes, as: UTF8.self)
            try await client.send(
                "POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + smuggled)
            let response = try await client.response()
            #expect(response.status == 400)
            #expect(response["connection"] == "close")
            #expect(try await client.rest().isEmpty)
            #expect(try await session.revision() == 0)
        }
    }

    @Test func limitsAreConfigurable() async throws {
        try await TestAPI.run(
            configuration: .with {
                $0.http.maxBodyBytes = 40
                $0.http.maxHeaderBytes = 1024
            }
        ) { api in
            let session = try await api.session()
            let action = #"{"type":"counter/increment"}"#
            for (size, status) in [(40, 200), (41, 413)] {
                let body = Array((action + String(repeating: " ", count: size - action.utf8.count)).utf8)
                let request = TestRequest("POST", session.path + "/actions", body: body)
                #expect(try await api.client().exchange(request).status == status)
            }
            for (size, status) in [(900, 200), (1024, 431)] {
                let request = TestRequest("GET", "/healthz", [("X", String(repeating: "x", count: size))])
                #expect(try await api.client().exchange(request).status == status)
            }
        }
    }

    @Test func aBodyAtTheLimitIsAccepted() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let action = Array(#"{"type":"counter/increment"}"#.utf8)
            let body = action + Array(repeating: UInt8(ascii: " "), count: 65_536 - action.count)
            let request = TestRequest("POST", session.path + "/actions", body: body)
            #expect(try await api.send(request).revision == 1)
        }
    }

    /// The client still sends when the response leaves. A reset would discard the response.
    @Test(arguments: LoopImplementation.allCases)
    func aClientThatStillSendsCanReadTheRefusal(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops) { server in
            let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
            // For so long the server reads what comes behind the refusal.
            try await fasterThan(.seconds(5)) {
                let client = try server.client()
                try await client.send("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
                for _ in 0..<8 { try await client.send(part) }
                #expect(try await client.response().code == "body-too-large")
                #expect(try await client.rest().isEmpty)
            }
        }
    }

    @Test func aProblemIsNotCachedOrSniffed() async throws {
        try await TestAPI.run { api in
            let response = try await api.get("/sessions/none")
            #expect(response.status == 404)
            #expect(response["cache-control"] == "no-store")
            #expect(response["x-content-type-options"] == "nosniff")
        }
    }

    /// A path that is no resource may still contain the id of a session.
    @Test func noLineOfTheLogContainsAnId() async throws {
        try await TestAPI.run(configuration: .with { $0.log.access = .all }) { api in
            let session = try await api.session()
            let id = String(session.path.split(separator: "/")[1])
            let encoded = id.utf8.map { "%" + String($0, radix: 16) }.joined()
            let twice = encoded.split(separator: "%").map { "%25" + $0 }.joined()
            let paths = [
                "/Sessions/\(id)/state", "/api/sessions/\(id)", "/\(id)", "/\(id).json", "/sessions/\(id)x/state",
                "/sessions//\(id)", "/sessions/\(id)%2Fstate", "/sessions/\(encoded)", "/sessions/\(twice)",
                "/a=\(id)/state", "/sessions/state/\(id)", "/\(id)/\(id)", "/sessions/%20\(id)", "/stores?id=\(id)",
            ]
            for path in paths { _ = try await api.get(path) }
            _ = try await session.increment()
            #expect(try await session.delete().status == 204)
            let log = api.log.text
            for hidden in [id, String(id.prefix(13)), String(id.suffix(13)), encoded, twice] {
                #expect(!log.contains(hidden))
            }
            let name = Fingerprint.of(id)
            let longer = Fingerprint.of(id + "x")
            for part in ["route=other", "route=/sessions/{id}/state", "session=\(name)", "session=\(longer)"] {
                #expect(log.contains(part), "\(part)")
            }
        }
    }

    /// A client that goes on sending behind a refusal is read for a while, so that it can read the response, but not for ever.
    @Test func whatFollowsARefusalIsReadUpToABound() async throws {
        try await LiveServer.run { server in
            let client = try server.client()
            try await client.send("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n")
            #expect(try await client.head().status == 413)
            let piece = [UInt8](repeating: 0, count: 1 << 20)
            await #expect(throws: (any Error).self) {
                for _ in 0..<64 { try await client.send(piece) }
            }
        }
    }

    /// The limit may exceed what one read returns.
    @Test func aHeadAtTheLimitIsAccepted() async throws {
        try await TestAPI.run(configuration: .with { $0.http.maxHeaderBytes = 200_000 }) { api in
            let field = String(repeating: "x", count: 190_000)
            let large = try await api.get("/healthz", [("X", field)])
            #expect(large.status == 200)
            let tooLarge = try await api.get("/healthz", [("X", field), ("Y", field)])
            #expect(tooLarge.code == "headers-too-large")
        }
    }

    @Test(arguments: ["after=%2B5", "after=-0", "limit=%2B5", "limit=0", "after=1e2"])
    func numbersInQueriesAreValidated(_ query: String) async throws {
        try await TestAPI.run { api in
            let response = try await api.session().read("/actions?" + query)
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func connectionsOverTheLimitWaitForThoseInUse(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(
            loops: loops,
            configuration: .with {
                $0.http.threads = 1
                $0.http.maxConnections = 1
            }
        ) { server in
            let session = try await server.session()
            var events: EventReader? = try await session.events()
            _ = try await events?.state()
            let second = try server.client()
            try await second.send(session.request("counter/increment").bytes)
            try await server.log.line(with: "connection limit reached closed=0")
            events = nil
            #expect(try await second.response().revision == 1)
            // There is room now, so the connection stays.
            #expect(try await second.exchange(TestRequest("GET", "/stores")).status == 200)
        }
    }

    /// Nobody should restart a server that is only full.
    @Test(arguments: LoopImplementation.allCases, [1, 3])
    func aFullServerAnswersProbes(_ loops: LoopImplementation, _ threads: Int) async throws {
        try await LiveServer.run(
            loops: loops,
            configuration: .with {
                $0.http.threads = threads
                $0.http.maxConnections = 2
            }
        ) { server in
            let session = try await server.session()
            let streams = [try await session.events(), try await session.events()]
            for events in streams { _ = try await events.state() }
            // These wait, and so does nobody behind them who only asks whether the server lives.
            var waiting: [TestClient] = []
            for _ in 0..<3 {
                let client = try server.client()
                try await client.send(TestRequest("GET", session.path + "/state").bytes)
                waiting.append(client)
            }
            for probe in ["/healthz", "/readyz", "/healthz", "/readyz"] {
                let prober = try server.client()
                let answer = try await prober.exchange(TestRequest("GET", probe))
                #expect(answer.status == 200)
                #expect(answer["connection"] == "close")
                #expect(try await prober.rest().isEmpty)
            }
            withExtendedLifetime((streams, waiting)) {}
        }
    }

    /// More requests wait than there are places: the oldest learn that the server is full.
    @Test func aRequestThatLosesItsPlaceIsRefused() async throws {
        try await LiveServer.run(
            configuration: .with {
                $0.http.threads = 1
                $0.http.maxConnections = 1
            }
        ) { server in
            let session = try await server.session()
            let events = try await session.events()
            _ = try await events.state()
            let first = try server.client()
            try await first.send(TestRequest("GET", session.path + "/state").bytes)
            // The probe came later, so the server has read the first request.
            #expect(try await server.get("/healthz").status == 200)
            var others: [TestClient] = []
            for _ in 0..<200 { others.append(try server.client()) }
            let refused = try await first.response()
            #expect(refused.status == 503)
            #expect(refused.code == "overloaded")
            #expect(refused["retry-after"] == "1")
            try await server.log.line(with: "method=GET route=/sessions/{id}/state status=503 code=overloaded")
            withExtendedLifetime((events, others)) {}
        }
    }

    @Test func whatHappensOftenIsReportedOnceAMinute() {
        var count = MinuteCount()
        let reports = [0, 1, 59_999, 60_000, 60_001, 500_000].map { count.add(2, now: $0) }
        #expect(reports == [2, nil, nil, 6, nil, 4])
    }

    /// The idle connection may be one of another loop.
    @Test(arguments: LoopImplementation.allCases, [1, 3])
    func anIdleConnectionIsClosedForANewOne(_ loops: LoopImplementation, _ threads: Int) async throws {
        // The limit is reported once a minute.
        try await LiveServer.run(
            clock: ManualClock().clock, loops: loops,
            configuration: .with {
                $0.http.threads = threads
                $0.http.maxConnections = 1
            }
        ) { server in
            var last = try server.client()
            // Not a probe, for which no room is needed.
            let request = TestRequest("GET", "/stores")
            #expect(try await last.exchange(request).status == 200)
            // Part of a head, or of a body, is no request in progress.
            let parts = [
                "", "GET / HTTP/1.1\r\nHost: lo", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1",
            ]
            for part in parts {
                try await last.send(part)
                let next = try server.client()
                #expect(try await next.exchange(request).status == 200)
                // A part that the server has not read yet makes the end a reset.
                let rest = part.isEmpty ? try await last.rest() : try? await last.rest()
                #expect((rest ?? []).isEmpty)
                last = next
            }
            try await server.log.line(with: "connection limit reached")
            #expect(server.log.text.ranges(of: "connection limit reached").count == 1)
        }
    }
}
