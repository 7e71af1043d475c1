import JSON
import Sockets
import StorehouseServer
import Testing

/// How streams end: with `closed`, behind all earlier events.
@Suite struct StreamEndTests {
    @Test func deletingTheSessionClosesItsStreams() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let streams = [try await session.events(), try await session.events(query: "?select=/counter")]
            for stream in streams { _ = try await stream.state() }
            _ = try await session.increment()
            _ = try await session.delete()
            for stream in streams {
                #expect(try await stream.state().revision == 1)
                let closed = try #require(try await stream.event())
                #expect(closed.name == "closed")
                #expect(closed.id == nil)
                #expect(closed.data == ["reason": "session-ended"])
                #expect(try await stream.item() == nil)
            }
        }
    }

    /// Otherwise its heartbeat would retain the stream, its connection and the session.
    @Test func aStreamThatTheServerEndsIsReleased() async throws {
        try await TestAPI.run(configuration: .with { $0.log.access = .all }) { api in
            let session = try await api.session()
            let stream = try await session.events()
            _ = try await stream.state()
            _ = try await session.delete()
            while try await stream.event() != nil {}
            #expect(api.log.text.contains("route=/sessions/{id}/events"))
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func drainingClosesAllStreams(_ loops: LoopImplementation) async throws {
        let streams = try await LiveServer.run(loops: loops) { server in
            let session = try await server.session()
            let streams = [
                try await session.events(), try await session.events(query: "?select=/user"),
                try await server.session().events(),
            ]
            for stream in streams { _ = try await stream.state() }
            _ = try await session.increment()
            return streams
        }
        for stream in streams {
            var last: StreamEvent?
            while let event = try await stream.event() { last = event }
            #expect(last?.name == "closed")
            #expect(last?.data == ["reason": "draining"])
        }
    }
}

/// How long a drain waits for the clients of streams. It could wait for an hour: only a fault exceeds the limit of the suite.
@Suite(.timeLimit(.minutes(10))) struct StreamDrainTimeTests {
    /// The client reads everything and leaves its side open.
    @Test(arguments: LoopImplementation.allCases)
    func aDrainEndsWhenNothingIsLeftToSend(_ loops: LoopImplementation) async throws {
        let configuration = Configuration.with { $0.http.drainTimeout = .seconds(3600) }
        try await LiveServer.run(loops: loops, configuration: configuration) { server in
            let session = try await server.session()
            let stream = try await session.events()
            _ = try await stream.state()
            await server.running.drain()
            guard case .retry(let retry) = try await stream.item() else { throw Wire.Failure.malformed("no retry") }
            // The only stream of the server.
            #expect((1000...1010).contains(retry))
            #expect(try await stream.event()?.data == ["reason": "draining"])
            #expect(try await stream.item() == nil)
        }
    }
}

/// How many streams end together.
@Suite(.timeLimit(.minutes(10))) struct StreamDrainTests {
    /// Each stream gets its own random time to reconnect.
    @Test(arguments: LoopImplementation.allCases)
    func manyStreamsAreClosedInBatches(_ loops: LoopImplementation) async throws {
        let count = 150
        let configuration = Configuration.with {
            $0.http.threads = 1
            $0.http.drainTimeout = .seconds(3600)
            $0.streams.maxPerSession = count
        }
        try await LiveServer.run(loops: loops, configuration: configuration) { server in
            let session = try await server.session("login-form")
            var streams: [EventReader] = []
            for _ in 0..<count { streams.append(try await session.events()) }
            for stream in streams { _ = try await stream.state() }
            let began = ContinuousClock.now
            async let drained: Void = server.running.drain()
            var retries: Set<Int> = []
            // Each stream is closed when it is read, so that the server need not wait for it.
            while let stream = streams.popLast() {
                guard case .retry(let retry) = try await stream.item() else { throw Wire.Failure.malformed("no retry") }
                #expect((1000...1600).contains(retry))
                retries.insert(retry)
                #expect(try await stream.event()?.data == ["reason": "draining"])
                #expect(try await stream.item() == nil)
            }
            await drained
            #expect(ContinuousClock.now - began >= .milliseconds(100))
            #expect(retries.count > count / 2)
        }
    }
}
