import JSON
import StorehouseServer
import StoresTesting
import Testing

/// How a node shares a stream of another node among its clients. The test plays the other node.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedStreamOfForwarderTests {
    /// The node that has the session, and the other node, whose clients come.
    private struct Peer: Sendable {
        let listener: TestListener
        let session: LiveSession

        struct Unexpected: Error {
            let lines: [String]
        }

        /// Awaits a request that says this about streams of nodes.
        func accept(_ field: String?) async throws -> TestClient {
            let connection = try await listener.connection()
            let hello = try await connection.requestHead()
            let node = hello.first { $0.hasPrefix("Storehouse-Node:") }?.dropFirst("Storehouse-Node:".count)
            let answer = try PlayedOwner.introduction(node.map(String.init), at: listener.port)
            try await connection.send(try #require(answer))
            let lines = try await connection.requestHead()
            let name = "Storehouse-Stream:"
            guard lines.first(where: { $0.hasPrefix(name) })?.dropFirst(name.count) == field?[...] else {
                throw Unexpected(lines: lines)
            }
            #expect(lines.first?.hasSuffix(" HTTP/1.0") == true)
            return connection
        }

        /// A client, and the connection for it: with events of its own, or joined to a shared stream.
        func client(
            joining id: String? = nil, _ initial: [UInt8] = Array(Peer.event(0).utf8), query: String = ""
        ) async throws -> (client: EventReader, connection: TestClient) {
            let client = try await request(query)
            let connection = try await accept(id.map { "joined \($0)" })
            try await connection.send(Peer.head(id.map { _ in "joined" }))
            try await connection.send(initial)
            return (try await EventReader(client), connection)
        }

        func request(_ query: String = "") async throws -> TestClient {
            let client = try session.server.client()
            try await client.send(TestRequest("GET", session.path + "/events" + query).bytes)
            return client
        }

        /// A client alone, two that share a stream, and their connections.
        func share() async throws -> Sharing {
            let alone = try await client()
            let opening = try await request()
            let shared = try await accept("shared")
            try await shared.send(Peer.head("shared 7") + "0 0\n")
            let connection = try await accept("joined 7")
            try await connection.send(Peer.head("joined") + Peer.frame(0))
            let reader = try await EventReader(opening)
            #expect(try await reader.state().revision == 0)
            return Sharing(alone: alone, shared: shared, client: reader, connection: connection)
        }

        static func head(_ field: String? = nil) -> String {
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                + (field.map { "Storehouse-Stream: \($0)\r\n" } ?? "") + "\r\n"
        }

        static func event(_ revision: Int) -> String {
            "event: state\nid: h-\(revision)\ndata: {\"revision\":\(revision),\"state\":0}\n\n"
        }

        static func frame(_ revision: Int) -> String { frame(revision, event(revision)) }

        static func frame(_ revision: Int, _ text: String) -> String { "\(revision) \(text.utf8.count)\n\(text)" }

        static let closed = "event: closed\ndata: {\"reason\":\"session-ended\"}\n\n"
    }

    private struct Sharing {
        let alone: (client: EventReader, connection: TestClient)
        let shared: TestClient
        let client: EventReader
        let connection: TestClient
    }

    private func run(
        heartbeat: Duration = .seconds(3600), _ body: @Sendable (Peer) async throws -> Void
    ) async throws {
        let listener = try TestListener()
        let configuration = Configuration.with {
            $0.http.threads = 1
            $0.streams.heartbeat = heartbeat
            // Some tests leave requests unanswered, and nothing is expected of the drain.
            $0.http.drainTimeout = .milliseconds(500)
        }
        try await PlayedOwner.runNode(besideOwnerAt: listener.port, configuration) { session, _ in
            try await body(Peer(listener: listener, session: session))
        }
    }

    /// A heartbeat is no part of an event, so the client can be told why its stream ends.
    @Test func aDrainIsToldBehindAHeartbeat() async throws {
        try await run { peer in
            let (client, connection) = try await peer.client()
            _ = try await client.state()
            try await connection.send(":\n")
            #expect(try await client.item() == .comment(""))
            async let drained: Void = peer.session.liveServer.running.drain()
            #expect(try await client.event()?.data == ["reason": "draining"])
            await drained
        }
    }

    @Test func sharedEventsComeBehindTheInitialOnesAndOnce() async throws {
        try await run { peer in
            let sharing = try await peer.share()
            let client = try await peer.request()
            let connection = try await peer.accept("joined 7")
            for revision in 1...4 { try await sharing.shared.send(Peer.frame(revision)) }
            // The node has them.
            for revision in 1...4 { #expect(try await sharing.client.state().revision == revision) }
            try await connection.send(Peer.head("joined") + Peer.frame(2))
            try await sharing.shared.send(Peer.frame(5))
            let revisions = try await EventReader(client).states(upTo: 5).compactMap(\.revision)
            #expect(revisions == [2, 3, 4, 5])
        }
    }

    @Test func whenTheSharedStreamEndsEachClientGoesOnByItself() async throws {
        try await run { peer in
            let sharing = try await peer.share()
            let late = try await peer.request()
            let lateConnection = try await peer.accept("joined 7")
            try await sharing.shared.send(Peer.frame(1) + "2 9")
            #expect(try await sharing.client.state().revision == 1)
            try await sharing.shared.finishSending()
            #expect(try await sharing.connection.bytes(4) == Array("1 1\n".utf8))
            try await sharing.connection.send("0 2\n:\n*\n" + Peer.event(3))
            #expect(try await sharing.client.state().revision == 3)
            // This one had no initial events when the shared stream ended.
            try await lateConnection.send(Peer.head("joined") + Peer.frame(2))
            #expect(try await lateConnection.bytes(4) == Array("2 0\n".utf8))
            try await lateConnection.send("*\n" + Peer.event(3))
            #expect(try await EventReader(late).states(upTo: 3).compactMap(\.revision) == [2, 3])
            // The next client opens another.
            _ = try await peer.request()
            _ = try await peer.accept("shared")
        }
    }

    @Test(arguments: ["what?\n", "1 99999999999999\n", "*\nx"])
    func aSharedStreamOfNonsenseEnds(_ nonsense: String) async throws {
        try await run { peer in
            let sharing = try await peer.share()
            try await sharing.shared.send(nonsense)
            #expect(try await sharing.connection.bytes(4) == Array("0 0\n".utf8))
            #expect(try await sharing.shared.rest() == [])
        }
    }

    @Test func theEndComesBehindTheSharedEvents() async throws {
        try await run { peer in
            let sharing = try await peer.share()
            try await sharing.connection.send(Peer.frame(2, Peer.closed))
            try await sharing.connection.finishSending()
            for revision in 1...2 { try await sharing.shared.send(Peer.frame(revision)) }
            #expect(try await sharing.client.states(upTo: 2).count == 2)
            #expect(try await sharing.client.event()?.name == "closed")
            #expect(try await sharing.client.event() == nil)
        }
    }

    @Test func nothingComesBehindTheEnd() async throws {
        try await run { peer in
            let sharing = try await peer.share()
            // The comment shows that the node has the frame before it.
            try await sharing.connection.send(Peer.frame(2, Peer.closed) + Peer.frame(0, ":\n"))
            #expect(try await sharing.client.item() == .comment(""))
            try await sharing.shared.send(Peer.frame(3))
            #expect(try await sharing.client.event() == nil)
        }
    }

    @Test func aClientWhoseOwnConnectionIsSilentEnds() async throws {
        func test(_ heartbeat: Duration) async throws {
            try await run(heartbeat: heartbeat) { peer in
                let sharing = try await peer.share()
                var revision = 0
                repeat {
                    revision += 1
                    // It ends with its last client.
                    try? await sharing.shared.send(Peer.frame(revision))
                } while try await sharing.client.event() != nil
            }
        }
        do {
            try await test(.milliseconds(500))
        } catch {
            // The first client may have ended before the others were there.
            try await test(.seconds(20))
        }
    }

    /// A node of an earlier release, and one that has no such session any more.
    @Test(arguments: [
        Peer.head(), "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        Peer.head("joined"), Peer.head("shared 7") + "nonsense\n",
    ])
    func withoutASharedStreamEachClientIsAlone(_ answer: String) async throws {
        try await run { peer in
            let first = try await peer.client()
            for _ in 0..<2 {
                let request = try await peer.request()
                let shared = try await peer.accept("shared")
                try await shared.send(answer)
                let connection = try await peer.accept(nil)
                try await connection.send(Peer.head() + Peer.event(3))
                #expect(try await EventReader(request).state().revision == 3)
            }
            #expect(try await first.client.state().revision == 0)
        }
    }

    @Test func aClientThatMayNotJoinGetsAllEventsByItself() async throws {
        try await run { peer in
            let sharing = try await peer.share()
            let request = try await peer.request()
            let connection = try await peer.accept("joined 7")
            try await sharing.shared.send(Peer.frame(1))
            #expect(try await sharing.client.state().revision == 1)
            try await connection.send(Peer.head() + Peer.event(1) + Peer.event(2))
            let client = try await EventReader(request)
            #expect(try await client.state().revision == 1)
            #expect(try await client.state().revision == 2)
        }
    }

    @Test func aBurstOfClientsWaitsForTheFirst() async throws {
        try await run { peer in
            let first = try await peer.request()
            let connection = try await peer.accept(nil)
            let others = [try await peer.request(), try await peer.request()]
            try await connection.send(Peer.head() + Peer.event(0))
            let shared = try await peer.accept("shared")
            try await shared.send(Peer.head("shared 7") + "0 0\n")
            var connections: [TestClient] = []
            for _ in others {
                connections.append(try await peer.accept("joined 7"))
                try await connections.last?.send(Peer.head("joined") + Peer.frame(0))
            }
            try await shared.send(Peer.frame(1))
            for client in others { #expect(try await EventReader(client).states(upTo: 1).count == 2) }
            #expect(try await EventReader(first).state().revision == 0)
            for connection in connections { try await connection.finishSending() }
        }
    }

    @Test func theSharedStreamEndsWithItsLastClient() async throws {
        try await run { peer in
            let sharing = try await peer.share()
            try await sharing.client.finishSending()
            try await sharing.alone.client.finishSending()
            #expect(try await sharing.shared.rest() == [])
        }
    }

    @Test func clientsShareOnlyWhatTheyBothAskFor() async throws {
        try await run { peer in
            let sharing = try await peer.share()
            for query in ["?select=/counter", "?changes=patch", "?effects=true"] {
                _ = try await peer.client(query: query)
            }
            // Events of effects are not shared.
            _ = try await peer.client(query: "?effects=true")
            _ = try await peer.request("?lastEventId=h-1")
            _ = try await peer.accept("joined 7")
            try await sharing.client.finishSending()
        }
    }
}
