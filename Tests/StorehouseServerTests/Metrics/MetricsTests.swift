import JSON
import StorehouseServer
import Testing

/// The metrics for Prometheus.
@Suite struct MetricsTests {
    /// The samples by name and labels; each line must be valid.
    private static func samples(_ server: LiveServer) async throws -> [String: Double] {
        let response = try await server.get("/metrics", [("Accept", "application/openmetrics-text;version=1.0.0")])
        guard response.status == 200, response["content-type"] == "text/plain; version=0.0.4; charset=utf-8",
            response.text.last == "\n"
        else { throw Wire.Failure.malformed("no metrics") }
        var samples: [String: Double] = [:]
        var types: Set<Substring> = []
        for line in response.text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE ") {
                #expect(words.count == 4 && ["counter", "gauge", "histogram"].contains(words[3]))
                #expect(types.insert(words[2]).inserted)
            } else if !line.hasPrefix("# HELP ") {
                let sample = try #require(
                    line.wholeMatch(of: /([a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) ([0-9.e+-]+)/))
                #expect(samples.updateValue(Double(sample.2) ?? .nan, forKey: String(sample.1)) == nil)
            }
        }
        return samples
    }

    @Test func countsWhatHappens() async throws {
        try await LiveServer.run { server in
            let before = try await Self.samples(server)
            let session = try await server.session()
            let events = try await session.events()
            _ = try await events.state()
            for _ in 1...3 { _ = try await session.increment() }
            _ = try await session.dispatch("betslip/placeBet")
            let after = try await Self.samples(server)
            func growth(_ name: String) -> Double { (after[name] ?? .nan) - (before[name] ?? .nan) }
            // The session, the stream, the actions, and the first look itself.
            #expect(growth(#"storehouse_http_responses_total{status="2xx"}"#) == 6)
            #expect(growth(#"storehouse_http_responses_total{status="4xx"}"#) == 1)
            #expect(growth("storehouse_sessions_created_total") == 1)
            #expect(after["storehouse_sessions"] == 1)
            #expect(after["storehouse_sessions_resident"] == 1)
            #expect(after["storehouse_event_streams"] == 1)
            #expect(after["storehouse_storage_available"] == 1)
            // Nothing is written: it stays in memory.
            #expect(after["storehouse_storage_transactions_total"] == 0)
            #expect(after["storehouse_draining"] == 0)
            #expect((after["process_cpu_seconds_total"] ?? 0) > 0)
            #if os(Linux)
                #expect((after["process_resident_memory_bytes"] ?? 0) > 1_000_000)
            #endif
        }
    }

    @Test func streamsThatEndAreNotOpen() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let events = try await session.events()
            _ = try await events.state()
            _ = try await session.delete()
            while try await events.event() != nil {}
            let limit = ContinuousClock.now + .seconds(Wire.patience)
            while try await Self.samples(server)["storehouse_event_streams"] != 0 {
                guard ContinuousClock.now < limit else { throw Wire.Failure.tookTooLong }
            }
            #expect(try await Self.samples(server)["storehouse_event_streams_opened_total"] == 1)
        }
    }
}
