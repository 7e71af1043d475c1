import Observability
import StorehouseServer

#if os(Linux)
    import JSON
    import StorehouseServer
    import Testing

    /// The cost of many connections, and the behaviour at their limit. Each server is a process of its own.
    @Suite(.timeLimit(.minutes(10)), .serialized) struct LimitTests {
        private static let get = TestRequest("GET", "/healthz")

        /// More connections than file descriptors: the configured limit stops the server before, or it runs out of them. Idle
        /// connections make room for those that wait, and the stream goes on.
        @Test(arguments: ["0", "1000"])
        func withoutFreeDescriptorsConnectionsWaitAndNothingSpins(_ most: String) async throws {
            let settings = ["STOREHOUSE_HTTP_MAX_CONNECTIONS": most, "STOREHOUSE_STREAMS_HEARTBEAT": "0.6"]
            try await ServerProcess.run(files: 64, settings) { server in
                let session = try await server.sessionPath()
                let watcher = try server.client()
                try await watcher.send(TestRequest("GET", session + "/events").bytes)
                let events = try await EventReader(watcher)
                var waiting: [TestClient] = []
                for _ in 0..<72 {
                    waiting.append(try server.client())
                    try await waiting.last?.send(Self.get.bytes)
                }
                let action = TestRequest("POST", session + "/actions", json: ["type": "counter/increment"])
                #expect(try await server.client().exchange(action).status == 200)
                while try await events.state().revision != 1 {}

                // The server's only work is a heartbeat every 0.6 seconds. It may have responses to finish first; a
                // server that spins never becomes idle.
                var quietest = Duration.seconds(1)
                for _ in 0..<5 where quietest > .milliseconds(60) {
                    let before = try server.processorTime
                    guard case .comment = try await events.item() else { throw Wire.Failure.malformed("no comment") }
                    quietest = try server.processorTime - before
                }
                #expect(quietest <= .milliseconds(60))

                // No connection is idle for so long that it were closed anyway.
                for client in waiting { #expect(try await client.response().status == 200) }
                #expect(try await server.client().exchange(Self.get).status == 200)
            }
        }

        @Test func anIdleConnectionCostsNoMoreThanAKilobyte() async throws {
            FileDescriptorLimit.raiseLimit()
            let count = min(2000, (FileDescriptorLimit.limit ?? 1024) / 4)
            try await ServerProcess.run { server in
                guard try !server.isSanitized else { return }
                // The first connections allocate what all of them share.
                let first = try await Self.connect(100, to: server)
                let before = try server.residentBytes
                let others = try await Self.connect(count, to: server)
                let each = (try server.residentBytes - before) / count
                #expect(each <= 1024)
                #expect(first.count + others.count == count + 100)
            }
        }

        /// Idle connections that have been served.
        private static func connect(_ count: Int, to server: ServerProcess) async throws -> [TestClient] {
            var clients: [TestClient] = []
            for _ in 0..<count {
                let client = try server.client()
                #expect(try await client.exchange(get).status == 200)
                clients.append(client)
            }
            return clients
        }

        /// Clients that keep sending and never read: the bytes pending for each and read from each are bounded.
        @Test func aClientThatNeverReadsCostsABoundedAmount() async throws {
            let idleTime = Duration.milliseconds(500)
            try await ServerProcess.run(["STOREHOUSE_HTTP_IDLE_TIMEOUT": "0.5"]) { server in
                guard try !server.isSanitized else { return }
                let large = TestRequest("GET", "/openapi.json")
                #expect(try await fasterThan(idleTime) { try await server.client().exchange(large).status } == 200)
                let before = try server.residentBytes
                let request = TestRequest("GET", "/openapi.json", [("X", String(repeating: "x", count: 8000))])
                let requests = Array(repeating: request.bytes, count: 20).flatMap(\.self)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            let client = try server.client(receiveBuffer: 4096)
                            await #expect(throws: Wire.Failure.self) {
                                for _ in 0..<400 { try await client.send(requests) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try server.mostResidentBytes - before < 16 * 400_000)
                #expect(try await fasterThan(idleTime) { try await server.client().exchange(Self.get).status } == 200)
            }
        }
    }
#endif
