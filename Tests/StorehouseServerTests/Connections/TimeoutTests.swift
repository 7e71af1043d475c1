import JSON
import Sockets
import StorehouseServer
import StoresTesting
import Testing

/// Clients that are too slow, or never say anything.
@Suite struct TimeoutTests {
    @Test(arguments: LoopImplementation.allCases)
    func aHeadThatNeverEndsIsGivenUpOn(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: .with { $0.http.headerTimeout = .milliseconds(50) }) {
            server in
            let client = try server.client()
            try await client.send("GET /healthz HTTP/1.1\r\nHo")
            let response = try await client.response()
            #expect(response.status == 408)
            #expect(response.code == "request-timeout")
            #expect(response["connection"] == "close")
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test func aBodyThatNeverEndsIsGivenUpOn() async throws {
        try await LiveServer.run(configuration: .with { $0.http.bodyTimeout = .milliseconds(50) }) { server in
            let client = try server.client()
            try await client.send("POST /sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
            let response = try await client.response()
            #expect(response.code == "request-timeout")
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test func aDripOfBytesDoesNotPutTheDeadlineOff() async throws {
        try await LiveServer.run(configuration: .with { $0.http.headerTimeout = .milliseconds(100) }) { server in
            let client = try server.client()
            let other = try server.client()
            let started = ContinuousClock.now
            try await client.send("GET /healthz HTTP/1.1\r\nHost: x\r\nX: ")
            while ContinuousClock.now - started < .milliseconds(200) {
                try await client.send("y")
                _ = try await other.exchange(TestRequest("GET", "/healthz"))
            }
            // A server that started to count anew with each byte would take this for a request.
            try await client.send("\r\n\r\n")
            #expect(try await client.response().code == "request-timeout")
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func anIdleConnectionIsClosedWithoutAWord(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: .with { $0.http.idleTimeout = .milliseconds(400) }) {
            server in
            let silent = try server.client()
            #expect(try await silent.rest().isEmpty)
            let served = try server.client()
            #expect(try await served.exchange(TestRequest("GET", "/healthz")).status == 200)
            #expect(try await served.rest().isEmpty)
        }
    }

    @Test func anAnswerThatIsAwaitedIsNotIdle() async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(
            animal: remote,
            configuration: .with {
                $0.http.idleTimeout = .milliseconds(400)
                $0.http.headerTimeout = .milliseconds(400)
            }
        ) { server in
            let session = try await server.session()
            async let answer = session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=20")])
            let events = try await session.events(query: "?select=/counter/count")
            _ = try await events.state()
            // Another connection is closed for its silence; then both have been silent for as long.
            #expect(try await server.client().rest().isEmpty)
            #expect(try await server.client().rest().isEmpty)
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await answer.at("/state/animal/currentAnimal") == "Cat")
            _ = try await session.increment()
            #expect(try await events.state().state == 1)
        }
    }

    @Test func aClientThatReadsNoAnswersIsNotServedForEver() async throws {
        try await LiveServer.run(configuration: .with { $0.http.idleTimeout = .milliseconds(500) }) { server in
            let client = try server.client(receiveBuffer: 4096)
            // Sends far more than all buffers together hold; the server stops to read, then ends it.
            let requests = Array(repeating: TestRequest("GET", "/stores").bytes, count: 200).flatMap(\.self)
            await #expect(throws: Wire.Failure.self) {
                for _ in 0..<10_000 { try await client.send(requests) }
            }
            #expect(try await server.get("/healthz").status == 200)
        }
    }
}
