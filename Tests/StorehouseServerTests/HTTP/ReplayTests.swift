import Stores

#if os(Linux)
    import HTTPRules
    import JSON
    import Testing

    /// Corrupted requests, the same in every run.
    @Suite(.timeLimit(.minutes(15))) struct ReplayTests {
        private static let requests = 100_000
        private static let workers = 4

        @Test func aHundredThousandMutatedRequestsLeakNothing() async throws {
            // A rule of HTTP/1.1 begins as HTTP/2 does.
            let settings = ["STOREHOUSE_SESSIONS_MAX": "50", "STOREHOUSE_HTTP_HTTP2": "false"]
            try await ServerProcess.run(settings) { server in
                let files = try server.openFiles
                let (bystander, target) = (try await server.sessionPath(), try await server.sessionPath())
                // Valid seeds come more often, or most requests would be refused for their first line.
                let sound = Array(repeating: Seeds.requests(to: target), count: 8).flatMap(\.self)
                let seeds = sound + Row.all.map(\.bytes).filter { $0.count < 1000 }
                // A sanitizer is ten times slower, and retains freed memory.
                let isSanitized = try server.isSanitized
                let count = Self.requests / (isSanitized ? 10 : 1)

                try await Self.replay(seeds, count / 5, generation: 0, to: server)
                let memory = try server.residentBytes
                let answered = try await Self.replay(seeds, count * 4 / 5, generation: 1, to: server)
                let growth = try server.residentBytes - memory

                #expect(answered > count / 2)
                #expect(isSanitized || growth < 1 << 20)
                try await waitUntil { try server.openFiles == files }
                let client = try server.client()
                #expect(try await client.exchange(TestRequest("GET", "/healthz")).status == 200)
                let action = TestRequest("POST", bystander + "/actions", json: ["type": "counter/increment"])
                #expect(try await client.exchange(action).revision == 1)
            }
        }

        /// Sends each request on a connection of its own and waits for its end.
        /// - Returns: how many were answered.
        @discardableResult
        private static func replay(
            _ seeds: [[UInt8]], _ count: Int, generation: UInt64, to server: ServerProcess
        ) async throws -> Int {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<workers {
                    group.addTask {
                        let replayer = Replayer(port: server.port, seeds: seeds)
                        return try await replayer.run(count / workers, seed: generation << 8 | UInt64(worker))
                    }
                }
                return try await group.reduce(0, +)
            }
        }

        /// Valid requests of every kind, to be mutated.
        private enum Seeds {
            static func requests(to session: String) -> [[UInt8]] {
                let actions = session + "/actions"
                let plain: [TestRequest] = [
                    TestRequest("GET", "/healthz"), TestRequest("GET", "/stores", [("Accept", "application/json")]),
                    TestRequest("HEAD", "/metrics"), TestRequest("OPTIONS", "/sessions", [("Origin", "http://a")]),
                    TestRequest("GET", session), TestRequest("DELETE", "/sessions/none"),
                    TestRequest("GET", session + "/state?select=/counter/count", [("If-None-Match", "\"0\", W/\"1\"")]),
                    TestRequest("GET", session + "/state?revision=1&select=/a~1b"),
                    TestRequest("GET", session + "/events?select=%2Fcounter", [("Last-Event-ID", "1")]),
                    TestRequest("GET", actions + "?after=2&limit=10"),
                    TestRequest("POST", "/sessions", json: ["store": "betting"]),
                    TestRequest("POST", actions, json: ["type": "counter/increment", "payload": ["by": 12]]),
                    TestRequest(
                        "POST", actions + "?select=/counter", [("Prefer", "return=minimal, wait=1")],
                        json: [["type": "counter/increment"], ["type": "counter/decrement", "payload": ["by": 3]]]),
                    TestRequest(
                        "POST", actions, [("If-Match", "\"7\"")],
                        json: [
                            "type": "login/enteringCredential", "payload": ["username": "\u{E9}\n", "password": "x"],
                        ]),
                ]
                let chunked = """
                    POST \(actions) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n\
                    1c;a="b"\r\n{"type":"counter/increment"}\r\n0\r\nX-Trailer: 1\r\n\r\n
                    """
                let pipelined = TestRequest("GET", "/healthz").bytes + TestRequest("GET", session + "/state").bytes
                return plain.map(\.bytes) + [Array(chunked.utf8), pipelined]
            }
        }
    }
#endif
