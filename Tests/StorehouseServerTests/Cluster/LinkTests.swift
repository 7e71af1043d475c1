import Cluster
import FaultyServices
import JSON
import RedisTesting
import StorehouseServer
import Testing

/// Requests that a node sends to the owner of a session, which the test plays.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LinkOfForwarderTests {
    private typealias Step = FaultyUpstream.Step

    private static let text = Answer.status(200, body: "{}")
    private static let ok = Step.send(text)

    private func run<Result: Sendable>(
        _ steps: [[Step]], lease: Duration = .seconds(60),
        _ body: @Sendable (LiveSession, FaultyUpstream) async throws -> Result
    ) async throws -> Result {
        let owner = try FaultyUpstream(nodeInTurn: steps)
        let configuration = Configuration.with {
            $0.cluster.lease = lease
            $0.http.threads = 1
        }
        return try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port), configuration) { session, _ in
            try await body(session, owner)
        }
    }

    private static func succeed(_ session: LiveSession) async throws {
        #expect(try await session.increment().status == 200)
    }

    @Test func aSlowRequestDelaysNoOtherAndAllShareAConnection() async throws {
        try await run([[Self.ok], [], [Self.ok], [Self.ok], [Self.ok, .answer(1, Self.text)]]) { session, owner in
            try await Self.succeed(session)
            async let slow = session.increment()
            await owner.until { $0.requests.count == 2 }
            try await Self.succeed(session)
            #expect(try await session.read("/state").status == 200)
            let text = String(repeating: "a", count: 60_000)
            #expect(try await session.dispatch("counter/increment", ["text": .string(text)]).status == 200)
            #expect(try await slow.status == 200)
            #expect(owner.record.connections == 1)
            #expect(owner.record.requests.last?.body.contains(text) == true)
        }
    }

    @Test func aConnectionThatBreaksLeavesAllOfItsRequestsUnknown() async throws {
        try await run([[Self.ok], [], [.close], [Self.ok]]) { session, owner in
            try await Self.succeed(session)
            async let first = session.increment()
            await owner.until { $0.requests.count == 2 }
            let second = try await session.increment()
            #expect(second.status == 504)
            #expect(second.code == "outcome-unknown")
            #expect(try await first.status == 504)
            try await Self.succeed(session)
            #expect(owner.record.connections == 2)
        }
    }

    /// Each of these breaks the connection, in the middle of a request.
    @Test(arguments: [
        [UInt8](repeating: 0, count: 9), [0x7F, 0xFF, 0xFF, 0xFF, 1], Array("HTTP/1.1".utf8), LinkFrame.proof("again"),
        LinkFrame.start(0x1_0000, [], bodyLength: 0, []), LinkFrame.start(0x1_0000, [0xFF], bodyLength: 0, []),
        LinkStreams.ping,
    ])
    func anOwnerThatSaysNonsenseIsNotHeard(_ nonsense: [UInt8]) async throws {
        try await run([[.bytes(nonsense)], [Self.ok]]) { session, owner in
            #expect(try await session.increment().status == 504)
            try await Self.succeed(session)
            #expect(owner.record.connections == 2)
        }
    }

    @Test func aRequestThatIsNotAnsweredDoesNotCloseTheConnectionOfOthers() async throws {
        // A request waits for twice the lease and two seconds. If all is not done by then, there is more time the next time.
        for lease in [1, 20] {
            let steps: [[Step]] = [[Self.ok], [], [.hold, Self.ok], [Self.ok]]
            let isSo = try await run(steps, lease: .seconds(lease)) { session, owner in
                let first = try await session.increment().status
                async let lost = session.increment()
                await owner.until { $0.requests.count >= 2 }
                async let late = session.post(["type": "counter/increment"], [("Prefer", "wait=3600")])
                await owner.until { $0.requests.count >= 3 }
                let unknown = try await lost.status
                // Nothing new is sent there.
                let next = try await session.increment().status
                let connections = owner.record.requests.map(\.connection)
                owner.release()
                return try await [first, unknown, next, late.status] == [200, 504, 200, 200]
                    && connections == [0, 0, 0, 1]
            }
            if isSo { return }
        }
        Issue.record("a request that is not answered has something to do with others")
    }

    @Test func aNodeThatLeavesGetsNoMoreRequestsAndAnswersThoseInProgress() async throws {
        let leaves: [Step] = [.bytes(LinkStreams.leave), Self.ok, .hold, .answer(1, Self.text)]
        try await run([[Self.ok], [], leaves, [Self.ok]]) { session, owner in
            try await Self.succeed(session)
            async let slow = session.increment()
            await owner.until { $0.requests.count == 2 }
            // Its response comes behind the news that the owner leaves.
            try await Self.succeed(session)
            try await Self.succeed(session)
            #expect(owner.record.requests.map(\.connection) == [0, 0, 0, 1])
            owner.release()
            #expect(try await slow.status == 200)
            // The connection is closed behind the last answer.
            await owner.until { $0.ended == 1 }
        }
    }

    @Test func aLongResponseIsTakenInPieces() async throws {
        let body = String(repeating: "0123456789", count: 100_000)
        try await run([[.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), .bytes(Array(body.utf8))]]) {
            session, _ in
            let response = try await session.read("/state")
            #expect(response.text == body)
        }
    }
}

/// Responses that the owner of a session sends to a node, which the test plays.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LinkOfOwnerTests {
    private func run(
        _ configuration: Configuration = .with(),
        _ body: @Sendable (LiveServer, LiveSession, PlayedNode) async throws -> Void
    ) async throws {
        try await TestCluster.runNode(on: try RedisServer(), configuration) { server in
            try await body(server, try await server.session(), try await PlayedNode(at: server))
        }
    }

    /// An action whose body has so many blanks behind it.
    private static func increment(_ session: LiveSession, blanks: Int = 0) -> TestRequest {
        let action: JSONValue = ["type": "counter/increment", "payload": ["by": 1]]
        var request = TestRequest("POST", session.path + "/actions", json: action)
        request.body? += [UInt8](repeating: 0x20, count: blanks)
        return request
    }

    @Test func aRequestThatIsNotCompleteDelaysNoOther() async throws {
        try await run { _, session, node in
            let first = try node.frame(Self.increment(session))
            let long = try node.frame(Self.increment(session, blanks: 65_000))
            let cut = first.bytes.count / 2
            try await node.client.send(Array(first.bytes[..<cut]))
            try await node.client.send(Array(first.bytes[cut...]) + long.bytes)
            #expect(try await node.response(to: long.number).status == 200)
            #expect(try await node.response(to: first.number).status == 200)
            #expect(try await session.state("/counter/count") == 2)
        }
    }

    @Test func manyRequestsAreAnswered() async throws {
        try await run { _, session, node in
            // The session stays, because a client watches it here.
            let events = try await session.events()
            var (numbers, bytes): ([UInt32], [UInt8]) = ([], [])
            for _ in 0..<300 {
                let (number, frame) = try node.frame(Self.increment(session))
                numbers.append(number)
                bytes += frame
            }
            try await node.client.send(bytes)
            for number in numbers { #expect(try await node.response(to: number).status == 200) }
            #expect(try await session.state("/counter/count") == 300)
            try await events.finishSending()
        }
    }

    @Test func aRequestThatIsCancelledLeavesTheOthers() async throws {
        try await run { _, session, node in
            let stream = try await node.send(TestRequest("GET", session.path + "/events"))
            try await node.stream(stream) { $0.contains("event: state") }
            #expect(try await session.read().at("/subscribers") == 1)
            try await node.cancel(stream)
            _ = try await session.server.eventually(TestRequest("GET", session.path)) { $0.at("/subscribers") == 0 }
            #expect(try await node.exchange(Self.increment(session)).status == 200)
        }
    }

    @Test func aBodyAboveTheLimitIsRefused() async throws {
        try await run(.with { $0.http.maxBodyBytes = 100_000 }) { _, session, node in
            let refused = try await node.exchange(Self.increment(session, blanks: 100_000))
            let taken = try await node.exchange(Self.increment(session, blanks: 99_000))
            #expect(refused.status == 413)
            #expect(taken.status == 200)
        }
    }

    /// Bytes that are no request of a node end the connection of all.
    @Test(arguments: [
        LinkFrame.start(0x1_0000, [], bodyLength: 0, []),
        LinkFrame.start(0x1_0000, [UInt8](repeating: 1, count: 40), bodyLength: 0, []), LinkFrame.proof(""),
        LinkStreams.frame(of: LinkPiece([[1]]), for: [0x1_0000, 0x1_0001]), [UInt8](repeating: 0xFF, count: 64),
    ])
    func whatNoNodeSaysEndsTheConnection(_ frames: [UInt8]) async throws {
        try await run { _, session, node in
            try await node.client.send(frames)
            #expect(try await node.client.rest().isEmpty)
            #expect(try await session.read().status == 200)
        }
    }

    @Test func aClientThatAsksForAConnectionBetweenNodesGetsNone() async throws {
        try await TestCluster.runNode(on: try RedisServer()) { server in
            let response = try await server.client().exchange(PlayedNode.hello("1 a b c d"))
            #expect(response.status == 421)
        }
    }

    /// The requests of one connection count as one connection, and those that wait are answered before the end.
    @Test func aDrainAnswersWhatIsInProgressAndThenEndsTheConnection() async throws {
        let (node, waiting, stream) = try await TestCluster.runNode(on: try RedisServer()) { server in
            let session = try await server.session()
            let node = try await PlayedNode(at: server)
            let stream = try await node.send(TestRequest("GET", session.path + "/events"))
            try await node.stream(stream) { $0.contains("event: state") }
            // The other one is that of this request.
            _ = try await server.eventually(TestRequest("GET", "/metrics")) {
                $0.text.split(separator: "\n").contains("storehouse_connections 2")
            }
            return (node, try await node.send(Self.increment(session)), stream)
        }
        #expect([200, 421].contains(try await node.response(to: waiting).status))
        let events = try await node.stream(stream) { $0.contains("event: closed") }
        #expect(events.contains("draining"))
        try await node.left()
        #expect(try await node.client.rest().isEmpty)
    }
}
