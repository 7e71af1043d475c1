import JSON
import StorehouseServer
import Testing

/// Streams that end after their maximum lifetime.
@Suite struct RotationTests {
    @Test func aStreamEndsAtTheEndOfItsLifetime() async throws {
        let configuration = Configuration.with { $0.streams.maxLifetime = .milliseconds(300) }
        try await TestAPI.run(configuration: configuration) { api in
            let session = try await api.session()
            let opened = ContinuousClock.now
            let stream = try await session.events()
            _ = try await stream.state()
            let closed = try #require(try await stream.event())
            #expect(closed.name == "closed")
            #expect(closed.id == nil)
            #expect(closed.data == ["reason": "rotated"])
            #expect(try await stream.item() == nil)
            #expect(ContinuousClock.now - opened >= .milliseconds(240))
            let request = TestRequest("GET", session.path)
            _ = try await api.eventually(request) { $0[json: "subscribers"] == 0 }
        }
    }

    /// Events do not extend the lifetime of a stream, and none is lost between two streams.
    @Test func aClientOfRotatingStreamsMissesNothing() async throws {
        let configuration = Configuration.with { $0.streams.maxLifetime = .milliseconds(20) }
        try await TestAPI.run(configuration: configuration) { api in
            let session = try await api.session()
            async let incremented: Void = {
                for _ in 0..<100 { _ = try await session.increment() }
            }()
            var (count, rotations) = (0, 0)
            var fields: [(String, String)] = []
            // The first stream may show all of it, and is read to its end nevertheless.
            while count < 100 || rotations == 0 {
                let stream = try await session.events(query: "?select=/counter/count", fields)
                while let event = try await stream.event() {
                    if let id = event.id { fields = [("Last-Event-ID", id)] }
                    if event.name == "closed" { rotations += 1 }
                    guard event.name == "state" else { continue }
                    #expect(event.state?.asInteger ?? 0 >= count)
                    count = try #require(event.state?.asInteger)
                }
            }
            try await incremented
            #expect(count == 100)
            #expect(rotations > 0)
        }
    }

    @Test func withoutAMaximumLifetimeStreamsDoNotRotate() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.heartbeat = .milliseconds(20) }) { api in
            let stream = try await api.session().events()
            _ = try await stream.state()
            for _ in 0..<10 {
                let item = try await stream.item()
                guard case .comment = item else { throw Wire.Failure.malformed("no comment") }
            }
        }
    }
}
