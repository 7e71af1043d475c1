import Cluster
import FaultyServices
import JSON
import RedisTesting
import StorehouseServer
import Testing

/// Streams of a session that another node has, on a connection that the test plays one end of.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RelayedStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    private static func event(_ revision: Int) -> String {
        "event: state\nid: x-\(revision)\ndata: {\"revision\":\(revision),\"state\":\(revision)}\n\n"
    }

    private func run(
        _ steps: [FaultyUpstream.Step], _ configuration: Configuration = .with { $0.http.threads = 1 },
        waits: ClusterWaits = .long, _ body: @Sendable (LiveSession, FaultyUpstream) async throws -> Void
    ) async throws {
        let owner = try FaultyUpstream(nodeOn: 0) { _ in steps }
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port), configuration, waits: waits) { session, _ in
            try await body(session, owner)
        }
    }

    // MARK: The node of the clients

    /// A heartbeat is no part of an event, so the client can be told why its stream ends.
    @Test func aDrainIsToldBehindAHeartbeat() async throws {
        let owner = try FaultyUpstream(node: .send(Self.head + Self.event(1)), .send(":\n"))
        let events = try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port)) { session, _ in
            let events = try await session.events()
            #expect(try await events.event()?.id == "x-1")
            return events
        }
        #expect(try await events.event()?.name == "closed")
    }

    @Test func aDrainInTheMiddleOfAnEventOnlyEndsTheStream() async throws {
        let owner = try FaultyUpstream(node: .send(Self.head + Self.event(1) + "event: state\n"))
        let events = try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port)) { session, _ in
            let events = try await session.events()
            #expect(try await events.event()?.id == "x-1")
            return events
        }
        // The client finds half an event.
        await #expect(throws: (any Error).self) { try await events.event() }
    }

    @Test func aClientThatHasGoneIsToldToTheOwnerAndTheOthersStay() async throws {
        try await run([.send(Self.head + Self.event(1))]) { session, owner in
            let stays = try await session.events()
            #expect(try await stays.event()?.id == "x-1")
            let gone = try session.server.client()
            try await gone.send(TestRequest("GET", session.path + "/events?select=/a").bytes)
            #expect(try await gone.head().status == 200)
            try await gone.makeReset()
            _ = consume gone
            await owner.until { $0.cancelled == [session.path + "/events?select=/a"] }
            #expect(owner.record.connections == 1)
            #expect(owner.record.open == 1)
            withExtendedLifetime(stays) {}
        }
    }

    /// The owner answers each question whether it is there, unless it is cut off.
    @Test func theStreamsOfANodeThatIsSilentEnd() async throws {
        var waits = ClusterWaits.long
        waits.silence = .milliseconds(200)
        // Behind this step nothing is sent, not even the answer to a ping.
        try await run([.send(Self.head + Self.event(1)), .hang], waits: waits) { session, _ in
            let events = try await session.events()
            #expect(try await events.event()?.id == "x-1")
            #expect(try await events.event() == nil)
        }
    }

    @Test func theStreamsOfANodeThatAnswersStay() async throws {
        let configuration = Configuration.with {
            $0.http.threads = 1
            $0.streams.heartbeat = .milliseconds(100)
        }
        var waits = ClusterWaits.long
        waits.silence = .milliseconds(100)
        try await TestCluster.run(configuration: configuration, waits: waits) { cluster in
            let here = try await cluster.first.session()
            let events = try await here.at(cluster.second).events(query: "?heartbeat=event")
            #expect(try await events.state().revision == 0)
            for _ in 0..<10 { #expect(try await events.event()?.name == "heartbeat") }
            _ = try await here.increment()
            while let event = try await events.event(), event.name != "state" {}
        }
    }

    // MARK: The node of the session

    private func runOwner(
        _ body: @Sendable (LiveSession, PlayedNode) async throws -> Void
    ) async throws {
        try await TestCluster.runNode(on: try RedisServer(), .with { $0.http.threads = 1 }) { server in
            try await body(try await server.session(), try await PlayedNode(at: server))
        }
    }

    private static func open(
        _ count: Int, _ session: LiveSession, _ node: PlayedNode, _ query: String = ""
    ) async throws -> [UInt32] {
        var numbers: [UInt32] = []
        for _ in 0..<count {
            numbers.append(try await node.send(TestRequest("GET", session.path + "/events" + query)))
            try await node.stream(numbers[numbers.count - 1]) { $0.contains("event: state") }
        }
        return numbers
    }

    @Test func streamsOfOneSelectionAndFormatGetAnEventTogether() async throws {
        try await runOwner { session, node in
            let states = try await Self.open(5, session, node)
            let patches = try await Self.open(3, session, node, "?changes=patch")
            let others = try await Self.open(2, session, node, "?select=/tasks")
            _ = try await session.increment()
            for number in states + patches { try await node.stream(number) { $0.contains("\"revision\":1,") } }
            #expect(Set(node.shared.map { Set($0) }) == [Set(states), Set(patches)])
            #expect(try await session.read().at("/subscribers") == 10)
            // Nothing that they see has changed.
            for number in others {
                #expect(try await node.stream(number) { _ in true }.contains("\"revision\":1,") == false)
            }
        }
    }

    @Test func aStreamWhoseNodeTakesNothingSkipsAndTheOthersGoOn() async throws {
        try await runOwner { session, node in
            let fast = try await Self.open(1, session, node)[0]
            let slow = try await Self.open(1, session, node, "?select=/tasks")[0]
            node.stopTaking(slow)
            let title = String(repeating: "x", count: 480)
            for revision in 1...40 {
                #expect(try await session.dispatch("tasks/add", ["title": .string(title)]).status == 200)
                try await node.stream(fast) { $0.contains("{\"revision\":\(revision),") }
            }
            #expect(try await node.stream(slow) { _ in true }.contains("{\"revision\":40,") == false)
            try await node.takeAll(slow)
            let events = try await node.stream(slow) { $0.contains("{\"revision\":40,") }
            #expect(events.contains("\"skipped\":"))
        }
    }
}
