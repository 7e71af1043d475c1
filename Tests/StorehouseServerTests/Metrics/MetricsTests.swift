import JSON
import Observability
import Platform
import Sessions
import Sockets
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// `GET /metrics`: what the server counts.
@Suite struct MetricsTests {
    private static func samples(_ server: LiveServer) async throws -> [String: Double] {
        let response = try await server.get("/metrics", [("Accept", "application/openmetrics-text;version=1.0.0")])
        return try Exposition(response).samples
    }

    private static func requests(_ route: String, _ method: String, _ status: String) -> String {
        "storehouse_http_request_duration_seconds_count{route=\"\(route)\",method=\"\(method)\",status=\"\(status)\"}"
    }

    @Test func requestsAreMeasuredByRouteMethodAndStatus() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            for _ in 1...3 { _ = try await session.increment() }
            _ = try await session.dispatch("betslip/placeBet")
            _ = try await server.get(session.path + "/nothing")
            _ = try await server.send(TestRequest("TRACE", session.path))
            let malformed = try server.client()
            try await malformed.send("GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
            #expect(try await malformed.response().status == 400)
            let samples = try await Self.samples(server)
            #expect(samples[Self.requests("/sessions", "POST", "2xx")] == 1)
            #expect(samples[Self.requests("/sessions/{id}/actions", "POST", "2xx")] == 3)
            #expect(samples[Self.requests("/sessions/{id}/actions", "POST", "4xx")] == 1)
            #expect(samples[Self.requests("/sessions/{id}", "other", "4xx")] == 1)
            // The path that is no resource, and the bytes that are no request.
            let others = ["GET", "other"].compactMap { samples[Self.requests("other", $0, "4xx")] }
            #expect(others.reduce(0, +) == 2)
            #expect(samples[#"storehouse_problems_total{code="action-rejected"}"#] == 1)
            #expect(samples[#"storehouse_problems_total{code="no-such-resource"}"#] == 1)
            #expect(samples[#"storehouse_problems_total{code="malformed-request"}"#] == 1)
            #expect(samples[#"storehouse_problems_total{code="draining"}"#] == 0)
            // A session's id is nowhere.
            let id = session.path.split(separator: "/").last ?? ""
            #expect(!samples.keys.contains { $0.contains(id) })
        }
    }

    @Test func dispatchesAreCountedByKindAndOutcome() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            _ = try await session.increment()
            _ = try await session.dispatch("counter/increment", ["by": 1], query: "?dryRun=true")
            _ = try await session.dispatch("counter/increment", ["by": 1], fields: [("If-Match", "\"7\"")])
            _ = try await session.dispatch("betslip/placeBet")
            _ = try await session.dispatch("none/such")
            _ = try await server.session("planner").dispatch("tasks/add", ["title": "one"])
            let samples = try await Self.samples(server)
            for outcome in ["committed", "dry-run", "revision-mismatch", "rejected", "refused"] {
                #expect(samples["storehouse_dispatches_total{kind=\"app\",outcome=\"\(outcome)\"}"] == 1, "\(outcome)")
            }
            #expect(samples[#"storehouse_dispatches_total{kind="planner",outcome="committed"}"#] == 1)
            #expect(samples[#"storehouse_dispatch_duration_seconds_count{kind="app"}"#] == 5)
            #expect((samples[#"storehouse_dispatch_duration_seconds_sum{kind="app"}"#] ?? 0) > 0)
            #expect(samples[#"storehouse_commit_duration_seconds_count{kind="app"}"#] == 1)
        }
    }

    @Test func entriesOfOutboxesAreCountedByOutcome() async throws {
        try await LiveServer.run { server in
            let outbox = TestOutbox(try await server.session())
            try await outbox.begin()
            let entries = [
                TestOutbox.increment, TestOutbox.increment, TestOutbox.entry("animal/ackError"),
                TestOutbox.entry("betslip/placeBet"), TestOutbox.entry("counter/increment", ifMatch: "7"),
                TestOutbox.entry("none/such"),
            ]
            for _ in 1...2 { _ = try await outbox.post(outbox.body(from: 1, entries)) }
            let samples = try await Self.samples(server)
            let expected = [
                "committed": 2.0, "ignored": 1, "rejected": 1, "mismatched": 1, "refused": 1, "replayed": 6,
            ]
            for (outcome, count) in expected {
                let name = "storehouse_sync_entries_total{kind=\"app\",outcome=\"\(outcome)\"}"
                #expect(samples[name] == count, "\(outcome)")
            }
        }
    }

    @Test func sessionsStreamsAndBytesAreCounted() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let events = try await session.events()
            let id = try #require(try await events.state().id)
            _ = try await session.increment()
            _ = try await events.state()
            let resumed = try await session.events([("Last-Event-ID", id)])
            _ = try await resumed.state()
            let samples = try await Self.samples(server)
            #expect(samples[#"storehouse_sessions_total{event="created"}"#] == 1)
            #expect(samples["storehouse_sessions"] == 1)
            #expect(samples["storehouse_sessions_resident"] == 1)
            #expect(samples["storehouse_event_streams"] == 2)
            #expect(samples["storehouse_stream_resumes_total"] == 1)
            #expect(samples[#"storehouse_events_total{result="sent"}"#] == 3)
            #expect(samples[Self.requests("/sessions/{id}/events", "GET", "2xx")] == 2)
            #expect(samples["storehouse_stream_backlog_bytes"] == 0)
            #expect(samples["storehouse_requests_in_flight"] == 0)
            // The streams, and the request for the metrics itself.
            #expect((samples["storehouse_connections"] ?? 0) >= 3)
            #expect((samples[#"storehouse_http_bytes_total{direction="in"}"#] ?? 0) > 300)
            #expect((samples[#"storehouse_http_bytes_total{direction="out"}"#] ?? 0) > 1000)
            _ = try await session.delete()
            for stream in [events, resumed] {
                while try await stream.event() != nil {}
            }
            try await waitUntil { try await Self.samples(server)["storehouse_event_streams"] == 0 }
            #expect(try await Self.samples(server)["storehouse_event_streams_opened_total"] == 2)
            #expect(try await Self.samples(server)[#"storehouse_sessions_total{event="ended"}"#] == 1)
        }
    }

    @Test func theProcessAndItsLoopsAreShown() async throws {
        try await LiveServer.run { server in
            let samples = try await Self.samples(server)
            #expect(samples["storehouse_storage_available"] == 1)
            #expect(samples["storehouse_draining"] == 0)
            #expect(samples["storehouse_build_info{version=\"\(StorehouseVersion.current)\"}"] == 1)
            for loop in 0..<2 {
                let lag = try #require(samples["storehouse_event_loop_lag_seconds{loop=\"\(loop)\"}"])
                #expect((0..<600).contains(lag))
            }
            #expect((samples["process_cpu_seconds_total"] ?? 0) > 0)
            #expect((1_600_000_000...Double(systemTime()) / 1000).contains(samples["process_start_time_seconds"] ?? 0))
            #if os(Linux)
                #expect((samples["process_resident_memory_bytes"] ?? 0) > 1_000_000)
                let open = try #require(samples["process_open_fds"])
                #expect((5...(samples["process_max_fds"] ?? 0)).contains(open))
            #endif
        }
    }

    @Test func aRequestWhoseClientLeavesIsCountedAsCut() async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(animal: remote) { server in
            let session = try await server.session()
            do {
                let client = try server.client()
                try await client.send(session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")]).bytes)
                await remote.called(times: 1)
                // The effect may begin before the loop has counted the request.
                try await waitUntil { try await Self.samples(server)["storehouse_requests_in_flight"] == 1 }
                try await client.makeReset()
            }
            let cut = Self.requests("/sessions/{id}/actions", "POST", "cut")
            try await waitUntil { try await Self.samples(server)[cut] == 1 }
            try await waitUntil { try await Self.samples(server)["storehouse_requests_in_flight"] == 0 }
            remote.reply(#"{"animal":"Cow"}"#)
            let succeeded = #"storehouse_effects_total{effect="animal.fetch",phase="succeeded",code="none"}"#
            try await waitUntil { try await Self.samples(server)[succeeded] == 1 }
            let samples = try await Self.samples(server)
            #expect(samples[#"storehouse_effects_total{effect="animal.fetch",phase="started",code="none"}"#] == 1)
            #expect(samples[cut] == 1)
        }
    }

    @Test func theStorageIsMeasured() async throws {
        try await DurableServer().run { server in
            let session = try await server.session()
            _ = try await session.increment()
            let samples = try await Self.samples(server)
            let log = try #require(samples["storehouse_storage_wal_bytes"])
            #expect(log > 4096 && log < samples["storehouse_storage_bytes"] ?? 0)
            let count = try #require(samples["storehouse_storage_transaction_duration_seconds_count"])
            #expect(count >= 2)
            #expect((samples["storehouse_storage_transaction_duration_seconds_sum"] ?? 0) > 0)
            // Its sum may be 0: on a slow machine, the commit is durable before anybody waits for it.
            #expect(samples[#"storehouse_commit_duration_seconds_count{kind="app"}"#] == 1)
        }
    }
}

/// The parts that are no sockets.
@Suite struct MetricsPartsTests {
    @Test func namesAndCodesOfEffectsAreBounded() {
        let counts = EffectCounts()
        for index in 0..<1000 { counts.count(name: "effect-\(index)", phase: .failed, code: "code-\(index)") }
        counts.count(name: "effect-0", phase: .failed, code: "code-0")
        var writer = PrometheusWriter()
        counts.write(into: &writer)
        let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n").dropFirst(2)
        #expect(lines.count == 64 + 1)
        #expect(lines.contains(#"storehouse_effects_total{effect="effect-0",phase="failed",code="code-0"} 2"#))
        #expect(lines.contains(#"storehouse_effects_total{effect="effect-40",phase="failed",code="other"} 1"#))
        #expect(lines.contains(#"storehouse_effects_total{effect="other",phase="failed",code="other"} 936"#))
    }

    @Test func theLagOfALoopIsTheLongestOfTheLastFifteen() {
        func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: UInt64(seconds) * 1_000_000_000) }
        var window = LagWindow()
        #expect(window.longest(now: at(0)) == 0)
        // A job that has not arrived counts with the time that it waits already, and no second one is sent.
        let areSent = [window.send(at: at(0)), window.send(at: at(1))]
        #expect(areSent == [true, false])
        #expect(window.longest(now: at(2)) == 2_000_000_000)
        window.arrived(at: at(3))
        #expect(window.longest(now: at(100)) == 3_000_000_000)
        for second in 0..<14 {
            _ = window.send(at: at(second))
            window.arrived(at: at(second))
        }
        #expect(window.longest(now: at(100)) == 3_000_000_000)
        _ = window.send(at: at(20))
        window.arrived(at: at(20))
        #expect(window.longest(now: at(100)) == 0)
    }
}
