import JSON
import Sockets
import StorehouseServer
import StoresTesting
import Testing

/// Clients that are too slow, or send nothing.
@Suite struct TimeoutTests {
    @Test(arguments: LoopImplementation.allCases)
    func anIncompleteHeadTimesOut(_ loops: LoopImplementation) async throws {
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

    @Test(arguments: LoopImplementation.allCases)
    func anIncompleteBodyTimesOut(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: .with { $0.http.bodyTimeout = .milliseconds(50) }) {
            server in
            let client = try server.client()
            try await client.send("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
            let response = try await client.response()
            #expect(response.status == 408)
            #expect(response.code == "request-timeout")
            #expect(response["connection"] == "close")
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test(
        arguments: LoopImplementation.allCases,
        [
            ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", "y", "\r\n\r\n"),
            (
                "POST /sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n",
                "0\r\n\r\n"
            ),
        ])
    func slowBytesDoNotMoveTheDeadline(
        _ loops: LoopImplementation, _ request: (start: String, drip: String, end: String)
    ) async throws {
        let configuration = Configuration.with {
            $0.http.headerTimeout = .milliseconds(100)
            $0.http.bodyTimeout = .milliseconds(100)
        }
        try await LiveServer.run(loops: loops, configuration: configuration) { server in
            let client = try server.client()
            let other = try server.client()
            let started = ContinuousClock.now
            try await client.send(request.start)
            while ContinuousClock.now - started < .milliseconds(200) {
                // The server has answered, and does not read for ever what comes then.
                try? await client.send(request.drip)
                _ = try await other.exchange(TestRequest("GET", "/healthz"))
            }
            // A server that restarted its timeout with each byte would handle this request.
            try? await client.send(request.end)
            #expect(try await client.response().code == "request-timeout")
        }
    }

    /// Without the rate the body would have an hour.
    @Test(arguments: LoopImplementation.allCases)
    func aBodyThatComesByteByByteIsRefused(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: .with { $0.http.minBodyRate = 1000 }) { server in
            let client = try server.client()
            try await client.send("POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n")
            try await client.send(byteByByte: Array(repeating: UInt8(ascii: " "), count: 20))
            let response = try await client.response()
            #expect(response.code == "request-timeout")
            #expect(response["connection"] == "close")
        }
    }

    /// Some clients send one behind a body. It begins no request, so no header timeout runs.
    @Test(arguments: LoopImplementation.allCases)
    func aConnectionWithAnEmptyLineIsIdle(_ loops: LoopImplementation) async throws {
        let configuration = Configuration.with {
            $0.http.headerTimeout = .milliseconds(50)
            $0.http.idleTimeout = Self.idleTime
        }
        try await LiveServer.run(loops: loops, configuration: configuration) { server in
            // A connection that is closed before it has the empty line ends with a reset.
            try await fasterThan(Self.idleTime) {
                let client = try server.client()
                #expect(try await client.exchange(TestRequest("GET", "/healthz")).status == 200)
                try await client.send(byteByByte: Array("\r\n".utf8))
                #expect(try await client.rest().isEmpty)
            }
        }
    }

    /// A connection on which nothing is sent for so long is closed.
    private static let idleTime = Duration.milliseconds(400)

    /// The refused head is no longer awaited.
    @Test(arguments: LoopImplementation.allCases)
    func aConnectionKeptAfterARefusalIsIdle(_ loops: LoopImplementation) async throws {
        let configuration = Configuration.with {
            $0.http.headerTimeout = .seconds(3600)
            $0.http.idleTimeout = Self.idleTime
        }
        try await LiveServer.run(loops: loops, configuration: configuration) { server in
            let client = try await fasterThan(Self.idleTime) {
                let client = try server.client()
                try await client.send(
                    byteByByte: Array("GET / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n".utf8))
                #expect(try await client.response().code == "expectation-failed")
                return client
            }
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func anIdleConnectionIsClosedWithoutAResponse(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: .with { $0.http.idleTimeout = Self.idleTime }) {
            server in
            let silent = try server.client()
            #expect(try await silent.rest().isEmpty)
            let served = try await fasterThan(Self.idleTime) {
                let served = try server.client()
                #expect(try await served.exchange(TestRequest("GET", "/healthz")).status == 200)
                return served
            }
            #expect(try await served.rest().isEmpty)
        }
    }

    @Test func aConnectionThatAwaitsAResponseIsNotIdle() async throws {
        let remote = ScriptedRemoteClient()
        try await LiveServer.run(
            animal: remote,
            configuration: .with {
                $0.http.idleTimeout = Self.idleTime
                $0.http.headerTimeout = Self.idleTime
            }
        ) { server in
            let session = try await fasterThan(Self.idleTime) { try await server.session() }
            let request = session.request("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            let client = try await fasterThan(Self.idleTime) { try await Self.beginBody(of: request, at: server) }
            try await client.send(request.body ?? [])
            await remote.called(times: 1)
            let events = try await fasterThan(Self.idleTime) {
                let events = try await session.events(query: "?select=/counter/count")
                _ = try await events.state()
                return events
            }
            // Idle connections are closed meanwhile, so both connections have been silent for longer than the timeout.
            #expect(try await server.client().rest().isEmpty)
            #expect(try await server.client().rest().isEmpty)
            remote.reply(#"{"animal":"Cat"}"#)
            #expect(try await client.response().at("/state/animal/currentAnimal") == "Cat")
            _ = try await fasterThan(Self.idleTime) { try await session.increment() }
            #expect(try await events.state().state == 1)
        }
    }

    /// Sends the head of a request, and waits until the server wants its body: then the connection is not idle any more.
    private static func beginBody(of request: TestRequest, at server: LiveServer) async throws -> TestClient {
        let client = try server.client()
        let head = request.with("Expect", "100-continue").bytes.dropLast(request.body?.count ?? 0)
        try await client.send(Array(head))
        #expect(try await client.response().status == 100)
        return client
    }

    @Test(arguments: LoopImplementation.allCases)
    func aClientThatReadsNoResponsesIsDisconnected(_ loops: LoopImplementation) async throws {
        try await LiveServer.run(loops: loops, configuration: .with { $0.http.idleTimeout = .milliseconds(500) }) {
            server in
            let client = try server.client(receiveBuffer: 4096)
            // Sends far more than all buffers together hold: the server stops reading, then disconnects the client.
            let request = TestRequest("GET", "/stores", [("X", String(repeating: "x", count: 8000))])
            let requests = Array(repeating: request.bytes, count: 20).flatMap(\.self)
            await #expect(throws: Wire.Failure.self) {
                for _ in 0..<400 { try await client.send(requests) }
            }
            #expect(try await fasterThan(.milliseconds(500)) { try await server.get("/healthz").status } == 200)
        }
    }
}
