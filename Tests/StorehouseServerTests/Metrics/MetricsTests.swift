import JSON
import StorehouseServer
import Testing

/// `GET /metrics`: what the server counts.
@Suite struct MetricsTests {
    private static func samples(_ server: LiveServer) async throws -> [String: Double] {
        let response = try await server.get("/metrics", [("Accept", "application/openmetrics-text;version=1.0.0")])
        return try Exposition(response).samples
    }

    @Test func countersFollowSessionsActionsAndStreams() async throws {
        try await LiveServer.run { server in
            let before = try await Self.samples(server)
            let session = try await server.session()
            let events = try await session.events()
            _ = try await events.state()
            for _ in 1...3 { _ = try await session.increment() }
            _ = try await session.dispatch("betslip/placeBet")
            let after = try await Self.samples(server)
            func growth(_ name: String) -> Double { (after[name] ?? .nan) - (before[name] ?? .nan) }
            // The session, the stream, the actions, and the first scrape itself.
            #expect(growth(#"storehouse_http_responses_total{status="2xx"}"#) == 6)
            #expect(growth(#"storehouse_http_responses_total{status="4xx"}"#) == 1)
            #expect(growth("storehouse_sessions_created_total") == 1)
            #expect(after["storehouse_sessions"] == 1)
            #expect(after["storehouse_sessions_resident"] == 1)
            #expect(after["storehouse_event_streams"] == 1)
            #expect(after["storehouse_storage_available"] == 1)
            // The journal in memory writes no transactions.
            #expect(after["storehouse_storage_transactions_total"] == 0)
            #expect(after["storehouse_draining"] == 0)
            #expect((after["process_cpu_seconds_total"] ?? 0) > 0)
            #if os(Linux)
                #expect((after["process_resident_memory_bytes"] ?? 0) > 1_000_000)
            #endif
        }
    }

    @Test func streamsThatEndedAreNotCountedAsOpen() async throws {
        try await LiveServer.run { server in
            let session = try await server.session()
            let events = try await session.events()
            _ = try await events.state()
            _ = try await session.delete()
            while try await events.event() != nil {}
            try await waitUntil { try await Self.samples(server)["storehouse_event_streams"] == 0 }
            #expect(try await Self.samples(server)["storehouse_event_streams_opened_total"] == 1)
        }
    }
}
