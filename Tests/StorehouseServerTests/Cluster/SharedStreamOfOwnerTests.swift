import Foundation
import JSON
import RedisTesting
import StorehouseServer
import Testing

/// What the owner of a session sends to a node whose clients share a stream. The test plays that node.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedStreamOfOwnerTests {
    /// The owner, a session there, and the name of a node.
    private struct Peer {
        let session: LiveSession

        init(_ server: LiveServer) async throws { session = try await server.session() }

        /// The head of the response, and the connection behind it.
        func open(
            _ stream: String? = nil, below path: String? = nil, query: String = ""
        ) async throws -> (head: TestResponse, client: TestClient) {
            let node = try await PlayedNode(at: session.liveServer)
            let fields = stream.map { [("Storehouse-Stream", $0)] } ?? []
            let request = node.request("GET", (path ?? session.path) + "/events" + query, fields)
            let text = String(decoding: request.bytes, as: UTF8.self)
            try await node.client.send(text.replacing("HTTP/1.1", with: "HTTP/1.0"))
            return (try await node.client.head(), node.client)
        }

        /// A shared stream, and its number.
        func share(query: String = "") async throws -> (id: String, client: TestClient) {
            let (head, client) = try await open("shared", query: query)
            let parts = try #require(head["storehouse-stream"]).split(separator: " ")
            #expect(parts.first == "shared")
            #expect(try await client.frame()?.text == "")
            return (String(try #require(parts.last)), client)
        }

        func join(_ id: String, query: String = "") async throws -> TestClient {
            let (head, client) = try await open("joined \(id)", query: query)
            #expect(head["storehouse-stream"] == "joined")
            return client
        }
    }

    /// One loop, so that a commit reaches all streams in one turn.
    ///
    /// - Parameter body: gets a client that the other streams share events with, too.
    private func run(
        heartbeat: Duration = .seconds(3600), _ body: @Sendable (Peer, EventReader) async throws -> Void
    ) async throws {
        let configuration = Configuration.with {
            $0.http.threads = 1
            $0.streams.heartbeat = heartbeat
        }
        try await TestCluster.runNode(on: try RedisServer(), configuration) { server in
            let peer = try await Peer(server)
            let watching = try await peer.session.events()
            try await body(peer, watching)
            try await watching.finishSending()
        }
    }

    @Test func thereIsNothingToShareWithoutAClient() async throws {
        try await run { peer, stream in
            #expect(try await peer.open("shared", query: "?select=/counter").head.status == 421)
            #expect(try await peer.open("shared", query: "?effects=true").head.status == 421)
            let shared = try await peer.share()
            // It counts for nothing, and ends with the client.
            #expect(try await peer.session.read().at("/subscribers") == 1)
            try await stream.finishSending()
            #expect(try await shared.client.frame() == nil)
            #expect(try await peer.open("shared").head.status == 421)
        }
    }

    @Test func aClientJoinsOnlyAStreamOfWhatItMaySee() async throws {
        try await run { peer, _ in
            let share = try await peer.session.counterShare()
            let all = try await peer.share()
            let other = try await peer.session.server.session()
            for (id, path, query) in [
                ("1", nil, ""), (all.id, nil, "?select=/counter"), (all.id, nil, "?changes=patch"),
                (all.id, nil, "?effects=true"), (all.id, share.path, ""), (all.id, other.path, ""),
            ] {
                let (head, client) = try await peer.open("joined \(id)", below: path, query: query)
                #expect(head["storehouse-stream"] == nil, "\(query)")
                #expect(String(decoding: try await client.bytes(12), as: UTF8.self) == ": heartbeat ")
            }
        }
    }

    @Test func eventsOfCommitsComeOnlyByTheSharedStream() async throws {
        try await run { peer, _ in
            let (id, shared) = try await peer.share()
            #expect(try await peer.session.increment().status == 200)
            let joined = try await peer.join(id)
            let initial = try #require(try await joined.frame())
            #expect(initial.revision == 1)
            #expect(initial.text.contains("event: state\nid: "))
            #expect(try await peer.session.increment().status == 200)
            for revision in 1...2 {
                let frame = try #require(try await shared.frame())
                #expect(frame.revision == revision)
                #expect(frame.text.contains(#"data: {"revision":\#(revision),"#))
            }
            #expect(try await peer.session.delete().status == 204)
            let closed = try #require(try await joined.frame())
            #expect(closed.revision == 2)
            #expect(closed.text == "event: closed\ndata: {\"reason\":\"session-ended\"}\n\n")
            #expect(try await joined.frame() == nil)
            #expect(try await shared.frame() == nil)
        }
    }

    @Test func aClientThatLeavesGoesOnWhereItIs() async throws {
        try await run { peer, direct in
            let (id, shared) = try await peer.share()
            let slow = try await peer.join(id)
            let fast = try await peer.join(id)
            for client in [slow, fast] { #expect(try await client.frame()?.revision == 0) }
            for revision in 1...5 {
                #expect(try await peer.session.increment().status == 200)
                if revision == 1 { _ = try await direct.state() }
                #expect(try await direct.state().revision == revision)
            }
            // The slow one has got the first two.
            try await slow.send("2 2\n")
            let state = try await slow.plainState()
            #expect(state.contains(#""revision":5"#))
            // The last of the three is there.
            #expect(state.contains(#""skipped":2}"#))
            try await fast.send("5 5\n")
            #expect(try await fast.bytes(2) == Array("*\n".utf8))
            #expect(try await peer.session.increment().status == 200)
            for client in [slow, fast] {
                let text = try await client.plainEvent()
                #expect(text.contains(#""revision":6"#))
                #expect(!text.contains("skipped"))
            }
            try await shared.finishSending()
        }
    }

    /// The other node must see that its client is still served, although all events come by the shared stream.
    @Test func aConnectionIsNeverSilent() async throws {
        try await run(heartbeat: .milliseconds(50)) { peer, _ in
            let (id, shared) = try await peer.share()
            let joined = try await peer.join(id)
            #expect(try await joined.frame()?.revision == 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { while !Task.isCancelled { _ = try await peer.session.increment() } }
                for _ in 0..<3 {
                    let frame = try await joined.frame()
                    #expect(frame?.revision == 0)
                }
                group.cancelAll()
                try await group.waitForAll()
            }
            try await shared.finishSending()
        }
    }
}

extension TestClient {
    /// The next frame of a node; nil at the end of the connection.
    fileprivate func frame() async throws -> (revision: Int, text: String)? {
        var line: [UInt8] = []
        do {
            repeat { line += try await bytes(1) } while line.last != UInt8(ascii: "\n")
        } catch Wire.Failure.ended where line.isEmpty {
            return nil
        }
        let parts = String(decoding: line.dropLast(), as: UTF8.self).split(separator: " ").map { Int($0) ?? -1 }
        guard parts.count == 2 else { throw Wire.Failure.malformed("no frame: \(parts)") }
        return (parts[0], String(decoding: try await bytes(parts[1]), as: UTF8.self))
    }

    /// The event that comes behind the star.
    fileprivate func plainState() async throws -> String {
        #expect(try await bytes(2) == Array("*\n".utf8))
        return try await plainEvent()
    }

    /// The next event outside of frames.
    fileprivate func plainEvent() async throws -> String {
        var text = ""
        while !text.hasSuffix("\n\n") { text += String(decoding: try await bytes(1), as: UTF8.self) }
        return text
    }
}
