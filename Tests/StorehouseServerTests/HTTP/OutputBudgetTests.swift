import JSON
import Sockets
import StorehouseServer
import Testing

/// Clients that take nothing of their responses and streams.
@Suite(.timeLimit(.minutes(15))) struct OutputBudgetTests {
    private static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        .with {
            $0.sessions.maxStateBytes = 1 << 28
            $0.http.outputBudget = 20 << 20
            change(&$0)
        }
    }

    private static func pendingBytes(_ server: LiveServer, _ isAsItShould: (Int) -> Bool) async throws {
        _ = try await server.eventually(TestRequest("GET", "/metrics")) { metrics in
            let lines = metrics.text.split(separator: "\n")
            let value = lines.first { $0.hasPrefix("storehouse_http_output_bytes ") }?.split(separator: " ").last
            return value.flatMap { Int($0) }.map(isAsItShould) ?? false
        }
    }

    /// Unread states fill the budget. Then large responses are refused, and the clients that take nothing are
    /// disconnected, so that others are served again.
    @Test(arguments: LoopImplementation.allCases)
    func clientsThatReadNothingDoNotHurtOthers(_ loops: LoopImplementation) async throws {
        let configuration = Self.configuration { $0.http.idleTimeout = .seconds(3600) }
        try await LiveServer.run(kinds: [.hoard], loops: loops, configuration: configuration) { server in
            let session = try await server.largeSession()
            let request = TestRequest("GET", session.path + "/state")
            var stuck: [TestClient] = []
            for _ in 0..<12 {
                let client = try server.client(receiveBuffer: 4096)
                try await client.send(request.bytes)
                stuck.append(client)
            }
            let served = try await server.eventually(request) { response in
                if response.status == 503 {
                    #expect(response.code == "overloaded")
                    #expect(response["retry-after"] == "1")
                }
                return response.status == 200
            }
            #expect(served.taggedRevision == 1)
            let metrics = try await server.eventually(TestRequest("GET", "/metrics")) { metrics in
                !metrics.text.contains("storehouse_http_slow_clients_total 0\n")
            }
            #expect(metrics.status == 200)
            try await Self.pendingBytes(server) { $0 <= 20 << 20 }
            withExtendedLifetime(stuck) {}
        }
    }

    /// The committed action must not be answered with an error that says the opposite.
    @Test func aRequestThatChangesSomethingIsNotAnsweredWithAProblem() async throws {
        let configuration = Self.configuration {
            $0.http.outputBudget = 1 << 20
            $0.http.idleTimeout = .seconds(3600)
        }
        try await LiveServer.run(kinds: [.hoard], configuration: configuration) { server in
            let session = try await server.largeSession(mebibytes: 2)
            let client = try server.client()
            // The state is longer than the whole budget.
            await #expect(throws: Wire.Failure.self) {
                try await client.exchange(session.request("hoard/count"))
            }
            #expect(try await session.read("/state").code == "overloaded")
            #expect(try await session.read("/events").code == "overloaded")
            #expect(try await session.read("/state?select=/count")[json: "state"] == 1)
        }
    }

    @Test(arguments: LoopImplementation.allCases)
    func aClientThatTakesNothingIsDisconnectedAfterTheIdleTimeout(_ loops: LoopImplementation) async throws {
        let configuration = Self.configuration {
            $0.http.outputBudget = 1 << 40
            $0.http.idleTimeout = LiveServer.shortTime
        }
        try await LiveServer.run(kinds: [.hoard], loops: loops, configuration: configuration) { server in
            let session = try await server.largeSession()
            let client = try await fasterThan(LiveServer.shortTime) {
                let client = try server.client(receiveBuffer: 4096)
                try await client.send(TestRequest("GET", session.path + "/state").bytes)
                #expect(try await client.head().status == 200)
                return client
            }
            try await server.log.line(with: "request cut")
            try await fasterThan(LiveServer.shortTime) { try await Self.pendingBytes(server) { $0 == 0 } }
            // The client has had little until now, and gets only what the system holds.
            try await client.enlargeReceiveBuffer()
            await #expect(throws: Wire.Failure.self) { try await client.bytes(8_000_000) }
        }
    }

    /// A slow client is not one that takes nothing. Tests of the connection's state machine say when it is one.
    @Test(arguments: LoopImplementation.allCases)
    func aClientThatReadsSlowlyGetsEverything(_ loops: LoopImplementation) async throws {
        let configuration = Self.configuration { $0.http.outputBudget = 1 << 40 }
        try await LiveServer.run(kinds: [.hoard], loops: loops, configuration: configuration) { server in
            let session = try await server.largeSession()
            let expected = try await session.read("/state").body
            let client = try server.client(receiveBuffer: 65_536)
            try await client.send(TestRequest("GET", session.path + "/state").bytes)
            let head = try await client.head()
            #expect(head.status == 200)
            var body: [UInt8] = []
            while body.count < expected.count {
                body += try await client.bytes(min(65_536, expected.count - body.count))
                // Other work between two reads.
                _ = try await server.get("/healthz")
            }
            #expect(body == expected)
        }
    }
}
