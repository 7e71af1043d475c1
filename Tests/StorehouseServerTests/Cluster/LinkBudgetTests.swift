import Cluster
import JSON
import RedisTesting
import StorehouseServer
import Testing

/// The bytes that a connection of another node, which the test plays, makes a node hold.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LinkBudgetTests {
    private func run(
        _ configuration: Configuration = .with(),
        _ body: @Sendable (LiveServer, PlayedNode) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.http.threads = 1
        configuration.sessions.maxStateBytes = 1 << 28
        try await TestCluster.runNode(on: try RedisServer(), configuration, kinds: [.hoard]) { server in
            try await body(server, try await PlayedNode(at: server))
        }
    }

    /// A gauge of the node.
    private static func value(_ name: String, _ server: LiveServer) async throws -> Int {
        let metrics = try await server.get("/metrics").text
        let line = metrics.split(separator: "\n").first { $0.hasPrefix("storehouse_http_\(name)_bytes ") }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    private static func count(_ session: LiveSession) -> TestRequest {
        TestRequest("POST", session.path + "/actions", json: ["type": "hoard/count"])
    }

    // MARK: Bodies

    @Test func aBodyThatDoesNotComeInTimeIsRefused() async throws {
        try await run(.with { $0.http.bodyTimeout = .milliseconds(100) }) { server, node in
            let session = try await server.session("hoard")
            let request = Self.count(session)
            let number = try await node.begin(request, of: 10_000)
            let late = try await node.response(to: number)
            #expect(late.status == 408)
            #expect(late.code == "request-timeout")
            // The connection stays. Nothing is done with what comes now of the body.
            let rest = [UInt8](repeating: 0x20, count: 10_000 - (request.body?.count ?? 0))
            try await node.client.send(LinkFrame.piece(number, rest[...]))
            #expect(try await node.exchange(Self.count(session)).status == 200)
            #expect(try await Self.value("input", server) == 0)
        }
    }

    @Test func theBytesOfAnUnfinishedBodyCount() async throws {
        try await run { server, node in
            let session = try await server.session("hoard")
            let request = Self.count(session)
            let number = try await node.begin(request, of: 10_000)
            // With those of its head.
            try await waitUntil { try await Self.value("input", server) > request.body?.count ?? 0 }
            let count = try await Self.value("input", server)
            try await node.client.send(LinkFrame.piece(number, [UInt8](repeating: 0x20, count: 1000)[...]))
            try await waitUntil { try await Self.value("input", server) == count + 1000 }
            try await node.cancel(number)
            try await waitUntil { try await Self.value("input", server) == 0 }
        }
    }

    @Test func theBytesOfAnUnfinishedFrameCount() async throws {
        try await run { server, node in
            let session = try await server.session("hoard")
            let (number, bytes) = try node.frame(Self.count(session))
            try await node.client.send(Array(bytes[..<20]))
            try await waitUntil { try await Self.value("input", server) == 20 }
            try await node.client.send(Array(bytes[20...]))
            #expect(try await node.response(to: number).status == 200)
            #expect(try await Self.value("input", server) == 0)
        }
    }

    // MARK: Answers

    @Test func anAnswerThatTheOtherNodeDoesNotTakeCounts() async throws {
        try await run { server, node in
            let session = try await server.largeSession(mebibytes: 2)
            let answer = try await node.send(TestRequest("GET", session.path + "/state"), takes: false)
            let held = 2 << 20 - LinkStreams.window
            try await waitUntil { try await Self.value("output", server) >= held }
            try await node.cancel(answer)
            try await waitUntil { try await Self.value("output", server) == 0 }
        }
    }

    /// Its node has one connection for all of its clients.
    @Test func aSlowClientOfAnotherNodeIsCutAndTheOthersStay() async throws {
        try await run(.with { $0.http.outputBudget = 5 << 19 }) { server, node in
            let session = try await server.largeSession(mebibytes: 2)
            let fast = try await node.send(TestRequest("GET", session.path + "/events?select=/count"))
            try await node.stream(fast) { $0.contains("event: state") }
            let slow = try await node.send(TestRequest("GET", session.path + "/events"), takes: false)
            try await waitUntil { try await Self.value("output", server) > 2_000_000 }
            let refused = try await node.get(session.path + "/state")
            #expect(refused.status == 503)
            #expect(refused.code == "overloaded")
            _ = try await node.response(to: slow)
            #expect(try await node.get(session.path + "/state").status == 200)
            #expect(try await session.dispatch("hoard/count").status == 200)
            try await node.stream(fast) { $0.contains("\"revision\":2,") }
        }
    }

    /// Otherwise the answers to its pings would fill the memory.
    @Test func aNodeThatReadsNothingIsNotReadEither() async throws {
        try await run { server, node in
            let session = try await server.session("hoard")
            let pings = Array(repeatElement(LinkStreams.ping, count: 7000).joined())
            var waiting = 0
            while waiting <= LinkStreams.maxPendingBytes {
                try await node.client.send(pings)
                waiting = try await Self.value("output", server)
            }
            for _ in 0..<2 { try await node.client.send(pings) }
            #expect(try await Self.value("output", server) <= waiting)
            // It reads on once the node does.
            #expect(try await node.exchange(Self.count(session)).status == 200)
        }
    }
}
