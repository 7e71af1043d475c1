#if os(Linux)
    import FaultyServices
    import Glibc
    import JSON
    import StorehouseServer
    import Testing

    /// The signals of a real server process.
    @Suite(.timeLimit(.minutes(10)), .serialized) struct ShutdownTests {
        /// SIGTERM must not be lost in any phase, also not directly after the start.
        @Test(arguments: [SIGTERM, SIGINT]) func theServerEndsAfterEverySignal(_ number: Int32) async throws {
            for round in 0..<15 {
                let code = try await ServerProcess.run { server in
                    if round % 3 > 0 { _ = try await server.client().exchange(TestRequest("GET", "/healthz")) }
                    if round % 3 > 1 { _ = try await server.sessionPath() }
                    server.signal(number)
                    return try await server.exitCode()
                }
                #expect(code == 0)
            }
        }

        @Test func aServerThatWaitsForRedisEndsAfterASignal() async throws {
            let key = String(repeating: "A", count: 43) + "="
            let settings = [
                "STOREHOUSE_STORAGE_KIND": "redis", "STOREHOUSE_STORAGE_REDIS_URL": "unix:///nowhere/redis.sock",
                "STOREHOUSE_STORAGE_KEY": key, "STOREHOUSE_CLUSTER_SECRET": key,
                "STOREHOUSE_CLUSTER_ADDRESS": "127.0.0.1:1",
            ]
            let code = try await ServerProcess.run(settings, isAwaited: false) { server in
                try await waitUntil { try server.handles(SIGTERM) }
                #expect(!server.log.text.contains("Redis cannot be used"))
                server.signal(SIGTERM)
                return try await server.exitCode()
            }
            #expect(code == 0)
        }

        @Test func hangupChangesNothing() async throws {
            let code = try await ServerProcess.run { server in
                for _ in 0..<3 { server.signal(SIGHUP) }
                let readiness = try await server.client().exchange(TestRequest("GET", "/readyz"))
                #expect(readiness.status == 200)
                server.signal(SIGTERM)
                return try await server.exitCode()
            }
            #expect(code == 0)
        }

        @Test func aRemoteCallThatHangsDoesNotHoldUpTheEnd() async throws {
            let service = try FaultyUpstream(.hang)
            let settings = Self.settings(service, drainTimeout: "1")
            let code = try await ServerProcess.run(settings) { server in
                let held = try await Self.fetch(server, service)
                server.signal(SIGTERM)
                defer { withExtendedLifetime(held) {} }
                // This gives up long before the hour for which the call could hang.
                return try await server.exitCode()
            }
            #expect(code == 0)
        }

        @Test func aSecondSignalEndsTheServerAtOnce() async throws {
            let service = try FaultyUpstream(.hang)
            let settings = Self.settings(service, drainTimeout: "3600")
            let code = try await ServerProcess.run(settings) { server in
                let held = try await Self.fetch(server, service)
                server.signal(SIGTERM)
                try await server.log.line(with: "draining")
                defer { withExtendedLifetime(held) {} }
                // ThreadSanitizer holds a signal back that comes while a thread leaves the handler of the first one.
                try await waitUntil {
                    server.signal(SIGTERM)
                    return server.hasEnded
                }
                return try await server.exitCode()
            }
            #expect(code == 128 + SIGTERM)
        }

        /// A server of one's own needs no remote services, and ends by the same signals.
        @Test func aServerOfOtherKindsNeedsNoUpstreams() async throws {
            let code = try await ServerProcess.run(program: "ExampleSeats", ["STOREHOUSE_UPSTREAMS_EMBEDDED": "false"])
            {
                server in
                let path = try await server.sessionPath()
                let booking = TestRequest(
                    "POST", path + "/actions", json: ["type": "seats/book", "payload": ["guest": "Ada"]])
                let booked = try await server.client().exchange(booking)
                #expect(booked.status == 200)
                server.signal(SIGTERM)
                return try await server.exitCode()
            }
            #expect(code == 0)
        }

        /// Only the thread of the signals is left to end the process.
        @Test func theServerEndsInTimeIfEveryThreadOfSwiftIsStuck() async throws {
            let result = try await #require(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                let configuration = Configuration.with { $0.http.drainTimeout = .milliseconds(500) }
                let server = try StorehouseServer(kinds: [.faulty], configuration: configuration)
                let run = Task.detached(priority: .medium) { try await server.run() }
                while !ShutdownTests.hasHandler(SIGTERM) { await Task.yield() }
                // The drain cannot resume behind these: they have its priority, and are more than Swift has threads.
                for _ in 0..<(4 * sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
                    Task.detached(priority: .medium) { ShutdownTests.block() }
                }
                kill(getpid(), SIGTERM)
                try await run.value
            }
            let log = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(log.contains("the drain did not end in time; the process exits"))
            #expect(!log.contains("info stopped"))
        }

        private static func hasHandler(_ number: Int32) -> Bool {
            var action = sigaction()
            return sigaction(number, nil, &action) == 0 && action.__sigaction_handler.sa_handler != nil
        }

        private static func block() {
            while true { pause() }
        }

        private static func settings(_ service: FaultyUpstream, drainTimeout: String) -> [String: String] {
            [
                "STOREHOUSE_UPSTREAMS_ANIMAL_URL": service.url, "STOREHOUSE_UPSTREAMS_ANIMAL_TIMEOUT": "3600",
                "STOREHOUSE_HTTP_MAX_WAIT": "3600", "STOREHOUSE_HTTP_DRAIN_TIMEOUT": drainTimeout,
            ]
        }

        /// Sends a request whose answer waits for the service, which has the call when this returns.
        private static func fetch(_ server: ServerProcess, _ service: FaultyUpstream) async throws -> TestClient {
            let client = try server.client()
            let path = try await server.sessionPath()
            try await client.send(
                TestRequest(
                    "POST", path + "/actions", [("Prefer", "wait=3600")], json: ["type": "animal/fetchAnimal"]
                ).bytes)
            await service.until { !$0.requests.isEmpty }
            return client
        }
    }
#endif
