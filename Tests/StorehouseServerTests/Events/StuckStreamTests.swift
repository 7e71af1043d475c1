import JSON
import Sockets
import StorehouseServer
import Testing

/// Streams whose clients take nothing of a large state.
@Suite(.timeLimit(.minutes(15))) struct StuckStreamTests {
    @Test(arguments: LoopImplementation.allCases)
    func streamsThatAreNeverReadAreClosed(_ loops: LoopImplementation) async throws {
        let configuration = Configuration.with {
            $0.sessions.maxStateBytes = 1 << 28
            $0.http.idleTimeout = LiveServer.shortTime
        }
        try await LiveServer.run(kinds: [.hoard], loops: loops, configuration: configuration) { server in
            let session = try await server.largeSession()
            var stuck: [EventReader] = []
            for query in ["", "?changes=patch", "?select=/texts", "?select=/texts/0&changes=patch"] {
                stuck.append(
                    try await fasterThan(LiveServer.shortTime) {
                        try await session.events(query: query, receiveBuffer: 4096)
                    })
            }
            let small = try await fasterThan(LiveServer.shortTime) {
                try await session.events(query: "?select=/count")
            }
            #expect(try await small.state().state == 0)
            // The stream that is read stays, however silent it is.
            _ = try await fasterThan(LiveServer.shortTime) {
                try await server.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 1 }
            }
            _ = try await fasterThan(LiveServer.shortTime) {
                try await session.dispatch("hoard/count")
            }
            #expect(try await small.state().state == 1)
            withExtendedLifetime(stuck) {}
        }
    }

    #if os(Linux)
        /// A phone in a tunnel holds no place: nothing of what is sent waits here, but its system acknowledges nothing.
        @Test(arguments: LoopImplementation.allCases)
        func aStreamWhoseBytesNobodyAcknowledgesIsClosed(_ loops: LoopImplementation) async throws {
            let configuration = Configuration.with {
                $0.http.idleTimeout = .seconds(1)
                $0.streams.heartbeat = .milliseconds(100)
            }
            try await LiveServer.run(loops: loops, configuration: configuration) { server in
                let session = try await server.session()
                let client = try server.client()
                try await client.send(TestRequest("GET", session.path + "/events").bytes)
                #expect(try await client.head().status == 200)
                let other = try await session.events()
                _ = try await server.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 2 }
                try await client.loseNetwork()
                _ = try await server.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 1 }
                // A stream whose bytes are acknowledged stays.
                _ = try await session.increment()
                while try await other.state().revision != 1 {}
                withExtendedLifetime(client) {}
            }
        }

        /// Streams that are never read share the bytes of the state.
        @Test func streamsShareTheBytesOfALargeState() async throws {
            let environment = [
                "STOREHOUSE_HTTP_MAX_BODY_BYTES": "1048576", "STOREHOUSE_HTTP_IDLE_TIMEOUT": "3600",
                "STOREHOUSE_HTTP_THREADS": "2", "STOREHOUSE_HTTP_OUTPUT_BUDGET": "1000000000",
                "STOREHOUSE_SESSIONS_MAX_STATE_BYTES": "268435456",
            ]
            try await ServerProcess.run(environment) { server in
                let client = try server.client()
                let created = try await client.exchange(TestRequest("POST", "/sessions", json: ["store": "planner"]))
                let path = try #require(created["location"])
                let batch = TestRequest(
                    "POST", path + "/actions", [("Prefer", "return=minimal")], json: .longTasks(64))
                // With a sanitizer only the streams count, because memory says nothing.
                let batches = try server.isSanitized ? 2 : 32
                for _ in 0..<batches { #expect(try await client.exchange(batch).status == 204) }
                let size = try await client.exchange(TestRequest("GET", path + "/state")).body.count
                var stuck: [EventReader] = []
                func open(_ query: String) async throws {
                    let client = try server.client(receiveBuffer: 4096)
                    try await client.send(TestRequest("GET", path + "/events" + query).bytes)
                    stuck.append(try await EventReader(client))
                }
                // The first streams make what all later ones share.
                for query in ["", "?select=/tasks"] { try await open(query) }
                let before = try server.residentBytes
                for index in 0..<60 { try await open(index.isMultiple(of: 2) ? "" : "?select=/tasks") }
                let growth = try server.residentBytes - before
                // Each stream has a copy of its own in 60 × 8 MiB.
                if try !server.isSanitized { #expect(growth < 3 * size, "\(growth) bytes for a state of \(size)") }
                withExtendedLifetime(stuck) {}
            }
        }
    #endif
}
