import StorehouseServer

#if os(Linux)
    import JSON
    import StorehouseServer
    import Testing

    /// Disconnected clients are noticed at once, without a commit or a heartbeat.
    @Suite(.timeLimit(.minutes(10))) struct DisconnectTests {
        enum Disconnect: CaseIterable { case closed, reset, finished }

        private static let queries = ["", "?effects=true", "?select=/counter&effects=true", "?changes=patch"]

        @Test(arguments: Disconnect.allCases)
        func streamsOfDisconnectedClientsAreReleased(_ disconnect: Disconnect) async throws {
            try await ServerProcess.run(["STOREHOUSE_STREAMS_HEARTBEAT": "3600"]) { server in
                let path = try await server.sessionPath()
                let client = try server.client()
                #expect(try await Self.subscribers(path, client) == 0)
                let before = try server.openFiles
                for _ in 0..<3 {
                    var streams: [(TestClient, EventReader)] = []
                    for number in 0..<40 {
                        streams.append(try await Self.stream(path + "/events" + Self.queries[number % 4], server))
                    }
                    #expect(try await Self.subscribers(path, client) == 40)
                    #expect(try server.openFiles >= 40)
                    for (stream, _) in streams {
                        if disconnect == .reset { try await stream.makeReset() }
                        if disconnect == .finished { try await stream.finishSending() }
                    }
                    if disconnect != .finished { streams = [] }
                    try await waitUntil { try await Self.subscribers(path, client) == 0 }
                    try await waitUntil { try server.openFiles <= before }
                    withExtendedLifetime(streams) {}
                }
            }
        }

        private static func stream(
            _ target: String, _ server: ServerProcess
        ) async throws -> (TestClient, EventReader) {
            let client = try server.client()
            try await client.send(TestRequest("GET", target).bytes)
            let reader = try await EventReader(client)
            _ = try await reader.state()
            return (client, reader)
        }

        private static func subscribers(_ path: String, _ client: TestClient) async throws -> Int? {
            try await client.exchange(TestRequest("GET", path))[json: "subscribers"]?.asInteger
        }
    }
#endif
