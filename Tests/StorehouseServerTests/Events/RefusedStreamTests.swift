import CFaultyDisk
import Foundation
import HTTP
import JSON
import Observability
import RedisTesting
import StorehouseServer
import StoresTesting
import Testing

/// Refusals of streams. An EventSource gives up for ever when it gets another status than 200.
@Suite(.timeLimit(.minutes(5))) struct RefusedStreamTests {
    private static let eventsOnly = [("Accept", "text/event-stream")]

    /// A refusal that passes must be a stream with nothing but its reason, whole and with its length.
    ///
    /// - Returns: the time after which the client comes back, in milliseconds.
    @discardableResult
    private static func expectRefusal(
        _ response: TestResponse, _ reason: String, retry: Int? = nil, location: SourceLocation = #_sourceLocation
    ) throws -> Int {
        #expect(response.status == 200, sourceLocation: location)
        #expect(response["content-type"] == "text/event-stream; charset=utf-8", sourceLocation: location)
        #expect(response["cache-control"] == "no-store, no-transform", sourceLocation: location)
        #expect(response["x-accel-buffering"] == "no", sourceLocation: location)
        #expect(response["x-content-type-options"] == "nosniff", sourceLocation: location)
        #expect(response["x-request-id"] != nil && response["retry-after"] == nil, sourceLocation: location)
        var parser = EventParser()
        try parser.feed(response.body)
        guard case .retry(let milliseconds) = parser.next() else { throw Wire.Failure.malformed("no retry") }
        #expect(retry == nil || retry == milliseconds, sourceLocation: location)
        let closed = StreamEvent(name: "closed", data: ["reason": .string(reason)])
        let item = parser.next()
        #expect(item == .event(closed), sourceLocation: location)
        #expect(parser.isEmpty, sourceLocation: location)
        return milliseconds
    }

    /// A server one of whose sessions has all streams that it may have.
    private static func runFull(
        _ configuration: Configuration = .with(), _ body: (TestAPI, LiveSession) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.streams.maxPerSession = 1
        try await TestAPI.run(configuration: configuration) { api in
            let session = try await api.session()
            let stream = try await session.events()
            try await body(api, session)
            withExtendedLifetime(stream) {}
        }
    }

    @Test(arguments: [
        "text/event-stream", "TEXT/Event-Stream", "text/event-stream;charset=utf-8", " text/event-stream ; q=0.5 ",
        ", text/event-stream,",
    ])
    func aClientOfEventsOnlyIsToldThatItMayComeBack(_ accept: String) async throws {
        try await Self.runFull { _, session in
            let refused = try await session.read("/events", [("Accept", accept)])
            try Self.expectRefusal(refused, "too-many-streams", retry: 1000)
        }
    }

    @Test(arguments: [
        [], [("Accept", "*/*")], [("Accept", "text/event-stream, */*;q=0.1")],
        [("Accept", "text/event-stream, application/json")],
        [("Accept", "text/event-stream"), ("Accept", "text/plain")],
        [("Accept", "text/event-stream, text/event-stream")], [("Accept", "text/*")], [("Accept", "text/plain")],
        [("Accept", "text/event-stream, nonsense")],
    ])
    func otherClientsGetTheStatus(_ fields: [(String, String)]) async throws {
        try await Self.runFull { _, session in
            let refused = try await session.read("/events", fields)
            #expect(refused.status == 429)
            #expect(refused.code == "too-many-streams")
            #expect(refused["retry-after"] == "1")
            #expect(refused["preference-applied"] == nil)
        }
    }

    @Test(arguments: ["status", "wait=1, Status", "handling=lenient; a=b, status"])
    func aClientThatPrefersTheStatusGetsIt(_ prefer: String) async throws {
        try await Self.runFull { _, session in
            let refused = try await session.read("/events", Self.eventsOnly + [("Prefer", prefer)])
            #expect(refused.status == 429)
            #expect(refused.code == "too-many-streams")
            #expect(refused["preference-applied"] == "status")
        }
    }

    @Test func anotherPreferenceIsNotThatForTheStatus() async throws {
        try await Self.runFull { _, session in
            let fields = Self.eventsOnly + [("Prefer", "wait=5, return=minimal")]
            try Self.expectRefusal(try await session.read("/events", fields), "too-many-streams")
        }
    }

    @Test func aStreamThatBeginsIsOpenAgainForTheNextOne() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.maxPerSession = 1 }) { api in
            let session = try await api.session()
            let first = try await session.events()
            let client = try api.client()
            let request = TestRequest("GET", session.path + "/events", Self.eventsOnly)
            // The answer has an end, so that the connection can be used again.
            for _ in 0..<2 { try Self.expectRefusal(try await client.exchange(request), "too-many-streams") }
            try await first.finishSending()
            _ = try await api.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 0 }
            try await client.send(request.bytes)
            #expect(try await EventReader(client).state().revision == 0)
        }
    }

    @Test func tooManyViewsPassLikeTooManyStreams() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.maxViews = 1 }) { api in
            let session = try await api.session()
            let stream = try await session.events()
            let refused = try await session.read("/events?select=/counter", Self.eventsOnly)
            try Self.expectRefusal(refused, "too-many-streams", retry: 1000)
            withExtendedLifetime(stream) {}
        }
    }

    /// Before the request is routed.
    @Test func theRateOfAClientPasses() async throws {
        let configuration = Configuration.with {
            $0.limits.requests = .init(rate: 0.01, burst: 3)
            $0.http.basePath = "/base"
        }
        try await TestAPI.run(configuration: configuration) { api in
            let path = try #require(try await api.post("/base/sessions", json: [:])["location"])
            while try await api.get("/base/healthz").status == 200 {}
            for path in [path + "/events", "/base/sessions/me/events", "/base/shared/x/events"] {
                let refused = try await api.get(path, Self.eventsOnly)
                let retry = try Self.expectRefusal(refused, "rate-limited")
                let status = try await api.get(path, Self.eventsOnly + [("Prefer", "status")])
                #expect(status.code == "rate-limited")
                let seconds = try #require(status["retry-after"].flatMap { Int($0) })
                // Time passes between the two.
                #expect(seconds > 1 && retry > 1000 && retry % 1000 == 0)
            }
            #expect(try await api.get(path + "/state", Self.eventsOnly).code == "rate-limited")
            #expect(try await api.get("/events", Self.eventsOnly).code == "rate-limited")
        }
    }

    @Test func aDrainPasses() async throws {
        let remote = ScriptedRemoteClient()
        let configuration = Configuration.with {
            $0.http.drainTimeout = .seconds(3600)
            // The loop with the held request drains last.
            $0.http.threads = 1
        }
        try await LiveServer.run(animal: remote, configuration: configuration) { server in
            let session = try await server.session()
            let share = try await session.share()
            let held = try server.client()
            try await held.send(session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")]).bytes)
            await remote.called(times: 1)
            async let drained: Void = server.running.drain()
            // A connection that comes too early is closed.
            try await waitUntil { (try? await server.get("/readyz"))?.status == 503 }
            for path in [session.path, share.path] {
                let refused = try await server.get(path + "/events", Self.eventsOnly)
                try Self.expectRefusal(refused, "draining", retry: 1000)
                #expect(refused["connection"] == "close")
            }
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await held.response().status == 200)
            await drained
        }
    }

    @Test func aStorageThatIsAwayPasses() async throws {
        let name = "refused-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        let configuration = TestTokens.configuration()
        try await DurableServer().runAPI(configuration: configuration, vfs: name) { api in
            let path = try await api.sessionPath(of: "alice")
            faulty_disk_fail(disk, FAULTY_WRITE_IO, 0)
            let action: JSONValue = ["type": "counter/increment"]
            #expect(try await api.send("POST", path + "/actions", as: "alice", nil, action).status == 503)
            // The personal session would have to be created.
            let refused = try await api.get("/sessions/me/events", TestTokens.field(of: "bob") + Self.eventsOnly)
            try Self.expectRefusal(refused, "unavailable", retry: 1000)
            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await api.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
        }
    }

    @Test func tooManySessionsPassForAPersonalSession() async throws {
        let configuration = TestTokens.configuration { $0.sessions.max = 1 }
        try await TestAPI.run(configuration: configuration) { api in
            _ = try await api.sessionPath(of: "alice")
            let fields = TestTokens.field(of: "bob") + Self.eventsOnly
            try Self.expectRefusal(try await api.get("/sessions/me/events", fields), "overloaded")
        }
    }

    @Test func theLimitOfConnectionsPasses() async throws {
        let redis = try RedisServer()
        let configuration = Configuration.with {
            $0.http.threads = 1
            $0.http.maxConnections = 2
        }
        try await TestCluster.runNode(on: redis, configuration, reachedAt: 1) { node in
            let clients = [try node.client(), try node.client()]
            let created = try await clients[0].exchange(TestRequest("POST", "/sessions", json: [:]))
            let path = try #require(created["location"]) + "/events"
            var streams: [EventReader] = []
            for client in clients {
                try await client.send(TestRequest("GET", path).bytes)
                streams.append(try await EventReader(client))
            }
            let client = try node.client()
            let refused = try await client.exchange(TestRequest("GET", path, Self.eventsOnly))
            try Self.expectRefusal(refused, "overloaded", retry: 1000)
            #expect(refused["connection"] == "close")
            withExtendedLifetime(streams) {}
        }
    }

    @Test func theOutputBudgetPasses() async throws {
        let configuration = Configuration.with {
            $0.sessions.maxStateBytes = 1 << 28
            $0.http.outputBudget = 1 << 20
        }
        try await TestAPI.run(kinds: [.hoard], configuration: configuration) { api in
            let session = try await api.largeSession()
            let refused = try await session.read("/events", Self.eventsOnly)
            try Self.expectRefusal(refused, "overloaded", retry: 1000)
            #expect(try await session.read("/events").code == "overloaded")
        }
    }

    @Test func aPageOfAnotherOriginCanReadIt() async throws {
        let configuration = Configuration.with { $0.http.allowedOrigins = ["https://app.example"] }
        try await Self.runFull(configuration) { _, session in
            let fields = Self.eventsOnly + [("Origin", "https://app.example"), ("X-Request-Id", "mine")]
            let refused = try await session.read("/events", fields)
            try Self.expectRefusal(refused, "too-many-streams")
            #expect(refused["access-control-allow-origin"] == "https://app.example")
            #expect(refused["vary"] == "Origin")
            #expect(refused["x-request-id"] == "mine")
        }
    }

    /// The node that the client talks to decides how it is refused.
    @Test func aRefusalOfAnotherNodePassesToo() async throws {
        try await TestCluster.run(configuration: .with { $0.streams.maxPerSession = 1 }) { cluster in
            let here = try await cluster.first.session()
            let share = try await here.share()
            let stream = try await here.events()
            for path in [here.path, share.path] {
                let refused = try await cluster.second.get(path + "/events", Self.eventsOnly)
                try Self.expectRefusal(refused, "too-many-streams", retry: 1000)
                let status = try await cluster.second.get(path + "/events", Self.eventsOnly + [("Prefer", "status")])
                #expect(status.code == "too-many-streams")
                #expect(status["preference-applied"] == "status")
                #expect(try await cluster.second.get(path + "/events").code == "too-many-streams")
            }
            withExtendedLifetime(stream) {}
        }
    }

    @Test func lastingRefusalsStayStatuses() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let (ended, share) = (try await api.session(), try await session.share(["may": ["act"]]))
            _ = try await ended.delete()
            for (path, status) in [
                (ended.path + "/events", 204), (session.path + "/events?changes=x", 400),
                (session.path + "/events?select=x", 400), (share.path + "/events", 403),
                ("/sessions/AAAAAAAAAAAAAAAAAAAAAA/events", 404), ("/shared/x/events", 404), ("/nothing/events", 404),
            ] {
                #expect(try await api.get(path, Self.eventsOnly).status == status, "\(path)")
            }
            #expect(try await session.read("/events", [("Accept", "text/event-stream;q=0")]).status == 406)
            #expect(try await session.read("/state", Self.eventsOnly).status == 406)
            let post = TestRequest("POST", session.path + "/events", Self.eventsOnly)
            #expect(try await api.send(post).status == 405)
        }
        try await TestAPI.run(configuration: TestTokens.configuration()) { api in
            let path = try await api.sessionPath(of: "alice")
            #expect(try await api.get(path + "/events", Self.eventsOnly).status == 401)
            let fields = TestTokens.field(of: "bob") + Self.eventsOnly
            #expect(try await api.get(path + "/events", fields).status == 403)
        }
    }

    @Test func theMetricsAndTheLogHaveTheStatusAndTheReason() async throws {
        let configuration = Configuration.with {
            $0.log.access = .all
            $0.log.format = .json
        }
        try await Self.runFull(configuration) { api, session in
            _ = try await session.read("/events", Self.eventsOnly)
            let samples = try Exposition(try await api.get("/metrics")).samples
            #expect(samples[#"storehouse_problems_total{code="too-many-streams"}"#] == 1)
            #expect(samples["storehouse_event_streams_opened_total"] == 1)
            try await api.log.line(with: #""status":200,"code":"too-many-streams""#)
        }
    }

    /// All that a client is asked to send again later, and nothing else.
    @Test(arguments: Problem.Code.allCases) func temporaryProblemsOfStreamsHaveReasons(_ code: Problem.Code) {
        let isTemporary = code.status == .tooManyRequests || code.status == .serviceUnavailable
        // No stream has a key, and none makes a share or the record of a client.
        let others: Set<Problem.Code> = [.tooManyKeys, .tooManyShares, .tooManyClients]
        #expect((code.closedReason != nil) == (isTemporary && !others.contains(code)))
    }
}
