import FaultyServices
import HTTPServer
import JSON
import RedisTesting
import StorehouseServer
import Testing

/// Short requests to another node share a connection.
private enum Frame {
    static func bytes(_ number: UInt32, _ text: String = "") -> [UInt8] {
        let length = UInt32(text.utf8.count)
        return [number, length].flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
            + Array(text.utf8)
    }
}

/// What a node sends to the owner of a session, which the test plays.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedConnectionOfForwarderTests {
    private typealias Step = FaultyUpstream.Step

    private static let agreement = Step.bytes(ChannelUpgrade.agreement)

    /// The response to a request on a channel. The number of a channel is that of the request that was its first one.
    private static func answer(_ number: UInt32, _ status: Int = 200) -> Step {
        .bytes(Frame.bytes(number, Answer.status(status, body: "{}")))
    }

    private func run<Result: Sendable>(
        _ steps: [[Step]], connections: Int = 100, lease: Duration = .seconds(60),
        _ body: @Sendable (LiveSession, FaultyUpstream) async throws -> Result
    ) async throws -> Result {
        let owner = try FaultyUpstream(nodeInTurn: steps)
        let configuration = Configuration.with {
            $0.cluster.lease = lease
            $0.http.threads = 1
            $0.http.maxConnections = connections
        }
        return try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port), configuration) { session, _ in
            try await body(session, owner)
        }
    }

    private static func succeed(_ session: LiveSession) async throws {
        #expect(try await session.increment().status == 200)
    }

    /// The first step is that of the request that asks for channels.
    private static func agreeing(_ steps: [Step]...) -> [[Step]] { [[agreement, answer(1)]] + steps }

    @Test func aSlowRequestDelaysNoOther() async throws {
        try await run(Self.agreeing([], [Self.answer(2)], [Self.answer(2), Self.answer(1)])) { session, owner in
            try await Self.succeed(session)
            async let slow = session.increment()
            await owner.until { $0.requests.count == 2 }
            try await Self.succeed(session)
            try await Self.succeed(session)
            #expect(try await slow.status == 200)
            #expect(owner.record.connections == 1)
            #expect(owner.record.requests.map { $0.field("upgrade") != nil } == [true, false, false, false])
        }
    }

    @Test func aConnectionThatBreaksLeavesAllOfItsRequestsUnknown() async throws {
        let plain = Step.send(Answer.status(200, body: "{}"))
        try await run(Self.agreeing([], [.close], [plain])) { session, owner in
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

    @Test func aRequestThatIsNotAnsweredDoesNotCloseTheConnectionOfOthers() async throws {
        let plain = Step.send(Answer.status(200, body: "{}"))
        // A request waits for twice the lease and two seconds. If all is not done by then, there is more time the next time.
        for lease in [1, 20] {
            let isSo = try await run(Self.agreeing([], [.hold, Self.answer(2)], [plain]), lease: .seconds(lease)) {
                session, owner in
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

    @Test func aChannelThatTheOwnerClosesWithANoticeIsNotUsedAgain() async throws {
        let notice = "HTTP/1.1 421 Misdirected Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        let closed = Step.bytes(
            Frame.bytes(1, notice) + Frame.bytes(1) + Frame.bytes(2, Answer.status(200, body: "{}")))
        try await run(Self.agreeing([], [closed], [Self.answer(2)])) { session, owner in
            try await Self.succeed(session)
            async let refused = session.dispatch("counter/increment", fields: [("Idempotency-Key", "\"a\"")])
            await owner.until { $0.requests.count == 2 }
            try await Self.succeed(session)
            #expect(try await refused.status == 200)
            #expect(owner.record.connections == 1)
        }
    }

    @Test func readsAndLongRequestsHaveConnectionsOfTheirOwn() async throws {
        let ok = Step.send(Answer.status(200, body: "{}"))
        try await run(Self.agreeing([ok], [ok])) { session, owner in
            try await Self.succeed(session)
            #expect(try await session.read("/state").status == 200)
            let text = String(repeating: "a", count: 20_000)
            #expect(try await session.dispatch("counter/increment", ["text": .string(text)]).status == 200)
            #expect(owner.record.requests.map(\.connection) == [0, 1, 1])
        }
    }

    /// The socket with channels is not the last one that there may be.
    @Test func aReadNeedsNoChannelToEnd() async throws {
        let ok = Step.send(Answer.status(200, body: "{}"))
        try await run(Self.agreeing([ok]), connections: 1) { session, owner in
            // The node admits one client at a time, too.
            let client = try session.server.client()
            let action = TestRequest("POST", session.path + "/actions", json: ["type": "counter/increment"])
            #expect(try await client.exchange(action).status == 200)
            #expect(try await client.exchange(TestRequest("GET", session.path + "/state")).status == 200)
            #expect(owner.record.connections == 2)
        }
    }

    /// As one of the release before.
    @Test func anOwnerThatDoesNotKnowChannelsGetsOneRequestAtATime() async throws {
        let ok = Step.send(Answer.status(200, body: "{}"))
        try await run([[ok], [ok], [ok]]) { session, owner in
            for _ in 0..<2 { try await Self.succeed(session) }
            #expect(owner.record.connections == 1)
            #expect(owner.record.requests[0].field("upgrade") == "storehouse-channels")
            // The first field is the one that lets the head be longer.
            #expect(owner.record.requests[0].head.split(separator: "\r\n")[1].hasPrefix("Storehouse-Node:"))
            #expect(owner.record.requests[1].field("upgrade") == nil)
        }
    }
}

/// What the owner of a session sends to a node that asks for channels. The test plays that node.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedConnectionOfOwnerTests {
    private struct Peer {
        let session: LiveSession
        let client: TestClient
        let request: TestRequest

        init(_ server: LiveServer) async throws {
            session = try await server.session()
            let node = try await PlayedNode(at: server)
            client = node.client
            request = TestRequest(
                "POST", session.path + "/actions", node.fields,
                json: ["type": "counter/increment", "payload": ["by": 1]])
        }

        var text: String { String(decoding: request.bytes, as: UTF8.self) }

        /// Asks for channels, and reads the response on the first of them.
        func share() async throws {
            try await client.send(ChannelUpgrade.asking(in: request.bytes))
            let count = ChannelUpgrade.agreement.count
            #expect(try await client.bytes(count) == ChannelUpgrade.agreement)
            #expect(try await frame() == Received(number: 1, status: "HTTP/1.1 200 OK"))
        }

        struct Received: Equatable {
            var number: UInt32
            /// The first line of the response; empty if the channel is closed.
            var status: String
        }

        func frame() async throws -> Received {
            let words = try await client.bytes(8)
            let (number, length) = (words[..<4], words[4...])
            let bytes = try await client.bytes(length.reduce(0) { $0 << 8 | Int($1) })
            return Received(
                number: number.reduce(0) { $0 << 8 | UInt32($1) },
                status: String(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\r\n" }))
        }
    }

    private func run(_ body: @Sendable (LiveServer) async throws -> Void) async throws {
        try await TestCluster.runNode(on: try RedisServer()) { try await body($0) }
    }

    @Test func aRequestThatIsNotCompleteDelaysNoOther() async throws {
        try await run { server in
            let peer = try await Peer(server)
            try await peer.share()
            let (start, rest) = (String(peer.text.prefix(40)), String(peer.text.dropFirst(40)))
            try await peer.client.send(Frame.bytes(2, start) + Frame.bytes(3, peer.text))
            #expect(try await peer.frame() == .init(number: 3, status: "HTTP/1.1 200 OK"))
            try await peer.client.send(Frame.bytes(2, rest))
            #expect(try await peer.frame() == .init(number: 2, status: "HTTP/1.1 200 OK"))
            #expect(try await peer.session.state("/counter/count") == 3)
        }
    }

    @Test func aChannelThatEndsLeavesTheOthers() async throws {
        try await run { server in
            let peer = try await Peer(server)
            try await peer.share()
            try await peer.client.send(
                Frame.bytes(2, String(peer.text.prefix(40))) + Frame.bytes(2) + Frame.bytes(2, peer.text)
                    + Frame.bytes(3, peer.text))
            #expect(try await peer.frame() == .init(number: 3, status: "HTTP/1.1 200 OK"))
            #expect(try await peer.session.state("/counter/count") == 2)
        }
    }

    /// Behind a request of a client nothing on the channel is taken as forwarded.
    @Test func aRequestThatIsNotForwardedEndsTheRightsOfItsChannelOnly() async throws {
        try await run { server in
            let peer = try await Peer(server)
            try await peer.share()
            let client = peer.text.replacing("Storehouse-Node: linked\r\n", with: "")
            try await peer.client.send(Frame.bytes(2, client))
            #expect(try await peer.frame() == .init(number: 2, status: "HTTP/1.1 200 OK"))
            try await peer.client.send(Frame.bytes(2, peer.text))
            #expect(try await peer.frame() == .init(number: 2, status: "HTTP/1.1 421 Misdirected Request"))
            try await peer.client.send(Frame.bytes(3, peer.text))
            #expect(try await peer.frame() == .init(number: 3, status: "HTTP/1.1 200 OK"))
            #expect(try await peer.session.state("/counter/count") == 3)
        }
    }

    @Test func aClientGetsNoChannels() async throws {
        try await run { server in
            let peer = try await Peer(server)
            let request = TestRequest(
                "POST", peer.session.path + "/actions",
                [("Connection", "Upgrade"), ("Upgrade", "storehouse-channels")],
                json: ["type": "counter/increment", "payload": ["by": 1]])
            #expect(try await peer.client.exchange(request).status == 200)
            let stranger = try server.client()
            try await stranger.send(ChannelUpgrade.asking(in: peer.request.bytes))
            #expect(try await stranger.head().status == 421)
        }
    }

    @Test func aConnectionWithoutFramesIsClosed() async throws {
        try await run { server in
            let peer = try await Peer(server)
            try await peer.share()
            try await peer.client.send(Frame.bytes(0, "what?"))
            #expect(try await peer.client.rest().isEmpty)
        }
    }

    /// The channels of one connection count as one connection.
    @Test func aDrainEndsTheChannelsAndThenTheConnection() async throws {
        let client = try await TestCluster.runNode(on: try RedisServer()) { server in
            let peer = try await Peer(server)
            try await peer.share()
            try await peer.client.send(Frame.bytes(2, peer.text))
            #expect(try await peer.frame() == .init(number: 2, status: "HTTP/1.1 200 OK"))
            // The other one is that of this request.
            _ = try await server.eventually(TestRequest("GET", "/metrics")) {
                $0.text.split(separator: "\n").contains("storehouse_connections 2")
            }
            return peer
        }
        let frames = [
            try await client.frame(), try await client.frame(), try await client.frame(), try await client.frame(),
        ]
        #expect(frames.filter { $0.status == "" }.map(\.number).sorted() == [1, 2])
        #expect(frames.filter { $0.status == "HTTP/1.1 421 Misdirected Request" }.map(\.number).sorted() == [1, 2])
        #expect(try await client.client.rest().isEmpty)
    }
}
