import JSON
import StoreHosting
import StoreKinds
import StorehouseServer
import Testing

/// The limits of `limits.*` of a whole API. No token is made during a test, unless its clock is advanced.
@Suite struct RateLimitTests {
    private static let low = Configuration.RateLimit(rate: 0.001, burst: 3)

    /// A refusal with a true time to wait: less than that of the whole burst.
    private static func expectRefusal(_ response: TestResponse, within seconds: ClosedRange<Int> = 1...1000) {
        #expect(response.status == 429)
        #expect(response.code == "rate-limited")
        let wait = response["retry-after"].flatMap { Int($0) }
        #expect(wait.map(seconds.contains) == true, "\(wait ?? -1)")
        #expect(response.json["detail"]?.asString?.contains("in \(wait ?? -1) s.") == true)
    }

    /// Serves while time stands still.
    private static func run(
        limiting limit: WritableKeyPath<Configuration.Limits, Configuration.RateLimit>,
        _ body: (TestAPI) async throws -> Void
    ) async throws {
        let configuration = Configuration.with { $0.limits[keyPath: limit] = low }
        try await TestAPI.run(clock: ManualClock().clock, configuration: configuration, body)
    }

    @Test func requestsOfAnAddressAreLimited() async throws {
        try await Self.run(limiting: \.requests) { api in
            let client = try api.client()
            for path in ["/healthz", "/stores", "/nothing"] {
                #expect(try await client.exchange(TestRequest("GET", path)).status != 429)
            }
            // Also on other connections, of other routes, and before the body is read.
            Self.expectRefusal(try await api.get("/metrics"), within: 900...1000)
            Self.expectRefusal(try await api.post("/sessions", json: ["store": "app"]))
            let waiting = try api.client()
            try await waiting.send("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
            Self.expectRefusal(try await waiting.response())
        }
    }

    /// Also those whose body is not read, and bytes that are no request.
    @Test(arguments: [
        ("Content-Length: 9999999", 413), ("Expect: x", 417), ("Transfer-Encoding: gzip, chunked", 501),
        ("Content-Length: x", 400),
    ])
    func requestsThatAreRefusedCountToo(field: String, status: Int) async throws {
        try await Self.run(limiting: \.requests) { api in
            func send() async throws -> TestResponse {
                let client = try api.client()
                try await client.send("POST /sessions HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
                return try await client.response()
            }
            for _ in 0..<3 { #expect(try await send().status == status) }
            Self.expectRefusal(try await send(), within: 900...1000)
        }
    }

    @Test(arguments: [("Host: localhost\r\nOrigin: https://a.example", 403), ("Host: a.example", 421)])
    func foreignOriginsAndHostsCountToo(fields: String, status: Int) async throws {
        try await Self.run(limiting: \.requests) { api in
            func send() async throws -> TestResponse {
                let client = try api.client()
                try await client.send("POST /sessions HTTP/1.1\r\n\(fields)\r\nContent-Length: 0\r\n\r\n")
                return try await client.response()
            }
            for _ in 0..<3 { #expect(try await send().status == status) }
            Self.expectRefusal(try await send(), within: 900...1000)
            Self.expectRefusal(try await api.get("/stores"), within: 900...1000)
        }
    }

    @Test func creationsOfAnAddressAreLimited() async throws {
        try await Self.run(limiting: \.sessions) { api in
            let session = try await api.session()
            // A request that is refused for another reason creates nothing.
            #expect(try await api.post("/sessions", json: ["store": "none"]).status == 404)
            #expect(try await session.read("/forks").status == 405)
            for _ in 0..<2 {
                #expect(try await api.post(session.path + "/forks", json: ["revision": 0]).status == 201)
            }
            Self.expectRefusal(try await api.post(session.path + "/forks", json: ["revision": 0]))
            Self.expectRefusal(try await api.post("/sessions", json: ["store": "app"]), within: 900...1000)
            #expect(try await session.increment().status == 200)
            #expect(try await api.get("/metrics").text.contains("storehouse_sessions_total{event=\"created\"} 3\n"))
        }
    }

    /// Replaying a revision is the expensive part, so the limit comes before it, whatever the size of the state.
    @Test func aForkThatFailsCountsToo() async throws {
        try await Self.run(limiting: \.sessions) { api in
            let session = try await api.session()
            for _ in 0..<2 {
                let response = try await api.post(session.path + "/forks", json: ["revision": 99])
                #expect(response.code == "no-such-revision")
            }
            Self.expectRefusal(try await api.post(session.path + "/forks", json: ["revision": 99]))
        }
    }

    /// It makes no session, but it sends actions.
    @Test func aDryRunOfAForkCountsAsOneAction() async throws {
        try await Self.run(limiting: \.sessions) { api in
            let session = try await api.session()
            for _ in 0..<5 {
                #expect(try await api.post(session.path + "/forks?dryRun=true", json: ["revision": 0]).status == 200)
            }
            for _ in 0..<2 {
                #expect(try await api.post(session.path + "/forks", json: ["revision": 0]).status == 201)
            }
            Self.expectRefusal(try await api.post(session.path + "/forks", json: ["revision": 0]))
        }
        try await Self.run(limiting: \.actions) { api in
            let session = try await api.session()
            for _ in 0..<3 {
                #expect(try await api.post(session.path + "/forks?dryRun=true", json: ["revision": 0]).status == 200)
            }
            Self.expectRefusal(try await api.post(session.path + "/forks?dryRun=true", json: ["revision": 0]))
            #expect(try await api.post(session.path + "/forks", json: ["revision": 0]).status == 201)
        }
    }

    @Test func actionsOfASessionAreLimited() async throws {
        try await Self.run(limiting: \.actions) { api in
            let session = try await api.session()
            let other = try await api.session()
            #expect(
                try await session.post([["type": "counter/increment"], ["type": "counter/increment"]]).status == 200)
            #expect(try await session.increment().status == 200)
            Self.expectRefusal(try await session.increment(), within: 900...1000)
            let batch = JSONValue.array(Array(repeating: ["type": "counter/increment"], count: 3))
            Self.expectRefusal(try await session.post(batch), within: 2900...3000)
            #expect(try await session.revision() == 3)
            // A batch that is larger than the burst needs all of it.
            let large = JSONValue.array(Array(repeating: ["type": "counter/increment"], count: 10))
            #expect(try await other.post(large).status == 200)
            Self.expectRefusal(try await other.increment(), within: 7900...8000)
        }
    }

    /// Nothing can be done for it, whatever the session is like.
    @Test func aRequestWithAWrongSelectionDoesNotCount() async throws {
        try await Self.run(limiting: \.actions) { api in
            let session = try await api.session()
            let (wrong, right) = (session.path + "/actions?select=nothing", session.path + "/actions?select=/counter")
            let increment: JSONValue = ["type": "counter/increment"]
            for _ in 0..<5 { #expect(try await api.post(wrong, json: increment).code == "malformed-pointer") }
            for _ in 0..<3 { #expect(try await api.post(right, json: increment).status == 200) }
            Self.expectRefusal(try await api.post(right, json: increment), within: 900...1000)
            // Actions that the reducer refuses count.
            let other = try await api.session()
            for _ in 0..<3 { #expect(try await other.post(["type": "betslip/placeBet"]).status == 409) }
            Self.expectRefusal(try await other.increment(), within: 900...1000)
        }
    }

    /// A refused request is admitted after the time that the refusal names, and its key is still new.
    @Test func aRefusedActionUsesNoKey() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with { $0.limits.actions = .init(rate: 0.5, burst: 1) }
        try await TestAPI.run(clock: clock.clock, configuration: configuration) { api async throws in
            let session = try await api.session()
            #expect(try await session.increment().status == 200)
            let request = session.request("counter/increment", fields: [("Idempotency-Key", "\"k\"")])
            Self.expectRefusal(try await api.send(request), within: 2...2)
            clock.advance(by: 1999)
            Self.expectRefusal(try await api.send(request), within: 1...1)
            clock.advance(by: 1)
            let response = try await api.send(request)
            #expect(response.status == 200 && response.revision == 2)
            #expect(response["idempotency-replayed"] == nil)
        }
    }

    @Test func aTrustedProxyNamesTheClient() async throws {
        let configuration = Configuration.with {
            $0.limits.requests = Self.low
            $0.http.trustedProxies = ["127.0.0.1"]
            $0.log.access = .all
        }
        try await TestAPI.run(clock: ManualClock().clock, configuration: configuration) { api async throws in
            func status(_ value: String) async throws -> Int {
                try await api.get("/healthz", [("X-Forwarded-For", value)]).status
            }
            // A client does not become another one by what it adds. IPv6 addresses count by their first 64 bits.
            for value in ["192.0.2.1", "198.51.100.1, 192.0.2.1", "192.0.2.1, 127.0.0.1"] {
                #expect(try await status(value) == 200)
            }
            #expect(try await status("192.0.2.1") == 429)
            #expect(try await status("192.0.2.2") == 200)
            for value in ["2001:db8::1", "2001:db8::2", "[2001:db8::3]:443"] { #expect(try await status(value) == 200) }
            #expect(try await status("2001:db8::4") == 429)
            #expect(try await status("2001:db8:0:1::4") == 200)
            #expect(try await api.get("/healthz", [("Forwarded", "for=192.0.2.1")]).status == 429)
            try await api.log.line(with: "client=192.0.2.2")
        }
    }

    @Test func aStrangerCannotNameAnotherClient() async throws {
        let configuration = Configuration.with {
            $0.limits.requests = Self.low
            $0.http.trustedProxies = ["192.0.2.0/24"]
            $0.log.access = .all
        }
        try await TestAPI.run(clock: ManualClock().clock, configuration: configuration) { api async throws in
            for last in 0..<3 {
                #expect(try await api.get("/healthz", [("X-Forwarded-For", "198.51.100.\(last)")]).status == 200)
            }
            #expect(try await api.get("/healthz", [("X-Forwarded-For", "198.51.100.9")]).status == 429)
            try await api.log.line(with: "client=127.0.0.1")
            #expect(!api.log.text.contains("client=198.51.100"))
        }
    }

    /// A program may set what a file could not.
    @Test func invalidLimitsAreRefusedAtTheStart() throws {
        var configuration = Configuration.with()
        configuration.limits.actions = .init(rate: -1, burst: 0)
        configuration.http.trustedProxies = ["proxy.example"]
        configuration.http.allowedHosts = ["example.org:80"]
        let error = #expect(throws: ConfigurationError.self) {
            _ = try StorehouseServer(kinds: [Planner.store.kind], configuration: configuration)
        }
        #expect(
            error?.problems.map(\.path) == [
                "http.allowedHosts", "http.trustedProxies", "limits.actions.rate", "limits.actions.burst",
            ])
    }
}
