import FaultyServices
import Foundation
import JSON
import RemoteServices
import ServerWiring
import Sessions
import Sockets
import StoreHosting
import StorehouseServer
import Stores
import Testing
import Upstream

/// A server that shuts down lets remote calls end, and commits their results.
///
/// Where a drain must not wait, it could wait for an hour: only a fault exceeds the limit of the suite.
@Suite(.timeLimit(.minutes(10))) struct DrainingCallsTests {
    private static let hour = Configuration.with {
        $0.http.drainTimeout = .seconds(3600)
        $0.http.threads = 1
    }

    /// Serves relays that call `service`, then drains.
    private static func run<Result: Sendable>(
        _ service: FaultyUpstream, on storage: DurableServer? = nil, _ configuration: Configuration = hour,
        loops: LoopImplementation = .preferred, _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        try await RealRemotes.run(url: "http://127.0.0.1:\(service.port)") { client, _ in
            let journal = try await storage?.open()
            return try await LiveServer.run(
                kinds: [.relay(client)], loops: loops, configuration: configuration, journal: journal, body)
        }
    }

    /// Waits until the event loop drains, so that it closes no connection any more only because it has no request yet.
    private static func isDraining(_ server: LiveServer) async throws {
        try await waitUntil {
            let answer = try? await server.client().exchange(TestRequest("GET", "/readyz"))
            return answer?.status == 503 && answer?["connection"] == "close"
        }
    }

    /// The texts of a session after a restart.
    private static func texts(of path: String, _ service: FaultyUpstream, on storage: DurableServer) async throws
        -> JSONValue?
    {
        try await run(service, on: storage) { try await LiveSession(server: $0, path: path).state("/texts") }
    }

    @Test func aCallThatNobodyWaitsForEndsAndTheCallsThatItsResultBegins() async throws {
        let (service, storage) = (try FaultyUpstream(.hold, .send(Answer.ok())), try DurableServer())
        let (path, release, log) = try await Self.run(service, on: storage) { server in
            let session = try await server.session("relay")
            #expect(try await session.dispatch("relay/call", ["times": 3]).status == 200)
            await service.until { $0.requests.count == 1 }
            let release = Task {
                try await Self.isDraining(server)
                service.release()
            }
            return (session.path, release, server.log)
        }
        try await release.value
        #expect(!log.text.contains("remote calls did not end in time"))
        #expect(try await Self.texts(of: path, service, on: storage) == ["Cat", "Cat", "Cat"])
        #expect(service.record.requests.count == 3)
    }

    @Test func aCallThatATimerBeginsMeanwhileEndsToo() async throws {
        let (service, storage) = (try FaultyUpstream(.hold, .send(Answer.ok())), try DurableServer())
        let (path, release) = try await Self.run(service, on: storage) { server in
            let (first, second) = (try await server.session("relay"), try await server.session("relay"))
            _ = try await first.dispatch("relay/call", ["times": 1])
            await service.until { $0.requests.count == 1 }
            let soon = WallClock().now() + 1000
            _ = try await second.dispatch("relay/arm", ["at": .integer(soon)])
            let release = Task {
                await service.until { $0.requests.count == 2 }
                service.release()
            }
            return (second.path, release)
        }
        await release.value
        #expect(try await Self.texts(of: path, service, on: storage) == ["Cat"])
    }

    /// There is a moment without a connection before each of the many.
    @Test(arguments: LoopImplementation.allCases)
    func theServerAnswersForAsLongAsItWaitsForCalls(_ loops: LoopImplementation) async throws {
        let service = try FaultyUpstream(.hold, .send(Answer.ok()))
        try await Self.run(service, loops: loops) { server in
            let session = try await server.session("relay")
            #expect(try await session.dispatch("relay/call", ["times": 2]).status == 200)
            await service.until { $0.requests.count == 1 }
            async let drained: Void = server.running.drain()
            try await Self.isDraining(server)
            for _ in 0..<20 {
                #expect(try await server.get("/readyz").code == "draining")
                #expect(try await server.get("/healthz").status == 200)
                #expect(try await session.read().revision == 1)
                #expect(try await session.dispatch("relay/call", ["times": 1]).code == "draining")
                #expect(try await server.get(session.path + "/events").code == "draining")
            }
            service.release()
            await drained
            #expect(server.log.text.contains("info stopped"))
            await #expect(throws: Wire.Failure.self) { try await server.get("/healthz") }
            #expect(service.record.requests.count == 2)
        }
    }

    @Test func effectsThatWaitForEventsOrForADelayDoNotHoldUpTheEnd() async throws {
        let service = try FaultyUpstream(.hang)
        try await Self.run(service) { server in
            let session = try await server.session("relay")
            for type in ["relay/listen", "relay/delay"] { #expect(try await session.dispatch(type).status == 200) }
            let later = WallClock().now() + 3_600_000
            #expect(try await session.dispatch("relay/arm", ["at": .integer(later)]).status == 200)
            #expect(try await session.read()[json: "effects"] == ["relay.delay", "relay.listen"])
            await server.running.drain()
            #expect(server.log.text.contains("info stopped"))
        }
    }

    @Test func aCallThatDoesNotEndIsInterruptedWhenTimeIsUp() async throws {
        let service = try FaultyUpstream(.hang)
        try await Self.run(service, on: nil, .with { $0.http.drainTimeout = .milliseconds(500) }) { server in
            let session = try await server.session("relay")
            _ = try await session.dispatch("relay/call", ["times": 1])
            await service.until { !$0.requests.isEmpty }
            await server.running.drain()
            // A machine that stands still writes it late.
            try await server.log.line(with: "remote calls did not end in time, and are interrupted sessions=1")
        }
    }

    @Test func aNodeHandsASessionOverWhenItsCallHasEndedAndOthersAtOnce() async throws {
        let service = try FaultyUpstream(.hold, .send(Answer.ok()))
        try await RealRemotes.run(url: "http://127.0.0.1:\(service.port)") { client, _ in
            try await TestCluster.run(kinds: [.relay(client)], configuration: Self.hour) { cluster in
                let (busy, idle) = (
                    try await cluster.second.session("relay"), try await cluster.second.session("relay")
                )
                _ = try await busy.dispatch("relay/call", ["times": 2])
                await service.until { !$0.requests.isEmpty }
                async let drained: Void = cluster.second.running.drain()
                try await Self.isDraining(cluster.second)
                #expect(try await idle.at(cluster.first).state("/left") == 0)
                #expect(try await idle.at(cluster.first).read().at("/node") == .string(cluster.first.name))
                for _ in 0..<20 {
                    #expect(try await cluster.second.get("/healthz").status == 200)
                    #expect(try await busy.read().revision == 1)
                }
                async let state = busy.at(cluster.first).state("/texts")
                service.release()
                await drained
                #expect(try await state == ["Cat", "Cat"])
                #expect(try await busy.at(cluster.first).read().at("/node") == .string(cluster.first.name))
            }
        }
    }

    #if os(Linux)
        /// The whole program: a signal, and a restart on the same file.
        @Test(arguments: [SIGTERM, SIGINT]) func theResultIsThereAfterARestart(_ number: Int32) async throws {
            let service = try FaultyUpstream(.hold, .send(Answer.ok()))
            let file = FileManager.default.temporaryDirectory.appending(path: "drained-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: file) }
            let settings = [
                "STOREHOUSE_UPSTREAMS_ANIMAL_URL": service.url, "STOREHOUSE_UPSTREAMS_ANIMAL_TIMEOUT": "3600",
                "STOREHOUSE_HTTP_DRAIN_TIMEOUT": "3600", "STOREHOUSE_STORAGE_KIND": "sqlite",
                "STOREHOUSE_STORAGE_PATH": file.appending(path: "storehouse.db").path,
            ]
            let path = try await ServerProcess.run(settings) { server in
                let path = try await server.sessionPath()
                let fetch = TestRequest("POST", path + "/actions", json: ["type": "animal/fetchAnimal"])
                #expect(try await server.client().exchange(fetch).status == 200)
                await service.until { !$0.requests.isEmpty }
                server.signal(number)
                try await server.log.line(with: "draining")
                try await waitUntil {
                    (try? await server.client().exchange(TestRequest("GET", "/readyz")))?.code == "draining"
                }
                service.release()
                #expect(try await server.exitCode() == 0)
                return path
            }
            try await ServerProcess.run(settings) { server in
                let state = try await server.client().exchange(TestRequest("GET", path + "/state?select=/animal"))
                #expect(state.at("/state/currentAnimal") == "Cat")
                #expect(state.at("/state/error") == .null)
            }
            #expect(service.record.requests.count == 1)
        }
    #endif
}

extension LiveServer {
    /// The name of a node.
    fileprivate var name: String { "127.0.0.1:\(port)" }
}
