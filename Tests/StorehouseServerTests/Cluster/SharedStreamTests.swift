import JSON
import RedisTesting
import Sessions
import StorehouseServer
import StoresTesting
import Testing

/// Streams on a node that does not have the session share the events of commits, and no client can tell.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedStreamTests {
    /// One loop, so that all clients of a node share a stream.
    private static func configuration(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        .with {
            $0.http.threads = 1
            change(&$0)
        }
    }

    /// A session that stays at its owner, because a client watches it there.
    private func run(
        _ configuration: Configuration = Self.configuration(), kind: String = "app",
        _ body: @Sendable (_ here: LiveSession, _ there: LiveSession) async throws -> Void
    ) async throws {
        try await TestCluster.run(configuration: configuration) { cluster in
            let here = try await cluster.first.session(kind)
            let watching = try await here.events(query: "?select=/none")
            try await body(here, here.at(cluster.second))
            try await watching.finishSending()
        }
    }

    /// Streams that have begun; those of one query share their events.
    private func open(_ count: Int, at session: LiveSession, query: String = "") async throws -> [EventReader] {
        var streams: [EventReader] = []
        for _ in 0..<count {
            streams.append(try await session.events(query: query))
            #expect(try await streams.last?.state().revision == 0)
        }
        return streams
    }

    @Test(arguments: ["", "?changes=patch", "?select=/counter/count", "?select=/counter&changes=patch"])
    func everyClientGetsEveryCommitOnceAndInOrder(_ query: String) async throws {
        try await run { here, there in
            let commits = 60
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<12 {
                    group.addTask { try await follow(there, query, upTo: commits, resumes: index % 3 > 0) }
                }
                for session in [here, there] {
                    group.addTask {
                        for _ in 0..<(commits / 2) {
                            let response = try await session.increment()
                            #expect(response.status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Follows a session whose actions count, and comes back now and then.
    private func follow(_ session: LiveSession, _ query: String, upTo last: Int, resumes: Bool) async throws {
        var stream = try await session.events(query: query)
        var event = try await stream.state()
        var (revision, value) = (try #require(event.revision), event.state)
        while revision < last {
            let mayBeMerged = resumes && revision % 10 == 7
            if mayBeMerged {
                stream = try await session.events(query: query, [("Last-Event-ID", try #require(event.id))])
            }
            event = try #require(try await stream.event())
            let next = try #require(event.revision)
            // A client that resumes gets one state for all that it has missed.
            if mayBeMerged, event.name == "state" { #expect(next > revision) } else { #expect(next == revision + 1) }
            #expect(event.skipped == nil)
            (revision, value) = (next, try event.applied(to: value))
        }
        let counts = [value, value?["count"], value?["counter"]?["count"]]
        #expect(counts.contains { $0 == .integer(last) })
    }

    private func sentBytes(_ server: LiveServer) async throws -> Double {
        let samples = try Exposition(try await server.get("/metrics")).samples
        return try #require(samples[#"storehouse_http_bytes_total{direction="out"}"#])
    }

    @Test func theOwnerSendsEachEventOnceToTheLoopOfANode() async throws {
        try await run { here, there in
            let title = String(repeating: "x", count: 480)
            let streams = try await open(40, at: there)
            for revision in 1...10 {
                let fields = [("Prefer", "return=minimal")]
                let action = try await here.dispatch("tasks/add", ["title": .string(title)], fields: fields)
                #expect(action.status == 204)
                for stream in streams { #expect(try await stream.state().revision == revision) }
            }
            // All titles so far are in each event: 55 titles.
            let sent = try await sentBytes(here.liveServer)
            #expect(sent > 55 * 480)
            // As much again is for the beginnings of 40 streams.
            #expect(sent < 4 * 55 * 480)
            let samples = try Exposition(try await here.server.get("/metrics")).samples
            // One of these is at the owner.
            #expect(samples[#"storehouse_events_total{result="sent"}"#] == Double(40 * 11 + 1))
            #expect(samples["storehouse_event_streams"] == 41)
            #expect(samples["storehouse_event_streams_opened_total"] == 41)
            #expect(try await here.read().at("/subscribers") == 41)
        }
    }

    @Test func heartbeatsAreThoseOfEachClientAndEventsAreSharedAllTheSame() async throws {
        try await run(Self.configuration { $0.streams.heartbeat = .milliseconds(200) }) { here, there in
            var streams: [EventReader] = []
            for query in ["", "?heartbeat=event", "", "?heartbeat=event"] {
                streams += try await open(1, at: there, query: query)
            }
            for (index, stream) in streams.enumerated() {
                let item = try #require(try await stream.item())
                if index % 2 == 1 {
                    #expect(item == .event(StreamEvent(name: "heartbeat", data: [:])))
                } else {
                    #expect(item == .comment(""))
                }
            }
            #expect(try await here.increment().status == 200)
            for stream in streams {
                var event: StreamEvent?
                repeat { event = try await stream.event() } while event?.name == "heartbeat"
                #expect(event?.revision == 1)
            }
            let samples = try Exposition(try await there.server.get("/metrics")).samples
            #expect(samples["storehouse_cluster_joined_streams_total"] == 4)
        }
    }

    @Test func linesForTerminalsAreSharedToo() async throws {
        try await run { here, there in
            var clients: [TestClient] = []
            for _ in 0..<3 {
                let client = try there.server.client()
                try await client.send(TestRequest("GET", there.path + "/events", [("Accept", "text/plain")]).bytes)
                #expect(try await client.head()["content-type"] == "text/plain; charset=utf-8")
                #expect(try await client.chunk() != nil)
                clients.append(client)
            }
            #expect(try await here.increment().status == 200)
            for client in clients {
                let chunk = try #require(try await client.chunk())
                #expect(String(decoding: chunk, as: UTF8.self).hasSuffix(" /counter/count: 0 → 1\n"))
            }
        }
    }

    @Test func theOwnerCountsEachClient() async throws {
        let configuration = Self.configuration {
            $0.streams.maxPerSession = 5
            $0.streams.maxViews = 3
        }
        try await run(configuration) { here, there in
            let streams = try await open(3, at: there)
            let other = try await there.events(query: "?select=/counter")
            _ = try await other.state()
            for session in [here, there] {
                #expect(try await session.read("/events").code == "too-many-streams")
            }
            // One that leaves makes room, for another view too.
            try await streams[2].finishSending()
            _ = try await here.server.eventually(TestRequest("GET", here.path)) { $0.at("/subscribers") == 4 }
            #expect(try await there.read("/events?select=/user").code == "too-many-views")
            #expect(try await there.events().state().revision == 0)
        }
    }

    @Test func theLastCommitsComeBeforeTheEnd() async throws {
        try await run { here, there in
            let streams = try await open(8, at: there)
            for _ in 0..<20 { #expect(try await here.increment().status == 200) }
            #expect(try await there.delete().status == 204)
            for stream in streams {
                let revisions = try await stream.states(upTo: 20).compactMap(\.revision)
                #expect(revisions == Array(1...20))
                let closed = try #require(try await stream.event())
                #expect(closed.data == ["reason": "session-ended"])
                #expect(try await stream.item() == nil)
            }
        }
    }

    @Test func streamsOfARevokedShareEnd() async throws {
        try await run { here, there in
            let share = try await here.counterShare()
            let shared = LiveSession(server: there.server, path: share.path)
            let streams = try await open(4, at: shared)
            let own = try await open(2, at: there)
            try await here.commitElsewhere()
            #expect(try await here.increment().status == 200)
            for stream in streams { #expect(try await stream.state().revision == 2) }
            #expect(try await here.server.delete(here.path + "/shares").status == 204)
            for stream in streams { #expect(try await stream.event()?.data == ["reason": "revoked"]) }
            for stream in own { #expect(try await stream.states(upTo: 2).count == 2) }
        }
    }

    @Test func aTokenThatExpiresEndsItsOwnStreamOnly() async throws {
        let configuration = TestTokens.configuration { $0.http.threads = 1 }
        // Tokens do not expire before the test says so.
        let time = ManualClock(WallClock().now())
        try await TestCluster.run(configuration: configuration, clock: time.clock) { cluster in
            let path = try await cluster.first.sessionPath(of: "alice")
            let there = LiveSession(server: cluster.second, path: path)
            // There is a leeway of a minute.
            func stream(_ seconds: Int) async throws -> EventReader {
                let fields = TestTokens.field(TestTokens.token("alice", expiresIn: seconds))
                let stream = try await there.events(query: "", fields)
                _ = try await stream.state()
                return stream
            }
            let first = try await stream(3600)
            // The request of this one opened the shared stream.
            let short = try await stream(-58)
            let third = try await stream(3600)
            time.advance(by: 600_000)
            #expect(try await short.event()?.data == ["reason": "expired"])
            let action: JSONValue = ["type": "counter/increment"]
            let done = try await cluster.first.post(path + "/actions", TestTokens.field(of: "alice"), json: action)
            #expect(done.status == 200)
            for stream in [first, third] { #expect(try await stream.state().revision == 1) }
        }
    }

    @Test func aDrainOfTheOwnerEndsAllStreams() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, Self.configuration()) { second in
            let streams = try await TestCluster.runNode(on: redis, Self.configuration()) { first in
                let session = try await first.session()
                let streams = try await open(5, at: session.at(second))
                #expect(try await session.increment().status == 200)
                return streams
            }
            for stream in streams {
                #expect(try await stream.state().revision == 1)
                #expect(try await stream.event()?.data == ["reason": "draining"])
            }
        }
    }

    @Test func aDrainOfTheirNodeEndsAllStreams() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis, Self.configuration()) { first in
            let session = try await first.session()
            let streams = try await TestCluster.runNode(on: redis, Self.configuration()) { second in
                let streams = try await open(5, at: session.at(second))
                #expect(try await session.increment().status == 200)
                for stream in streams { #expect(try await stream.state().revision == 1) }
                return streams
            }
            for stream in streams { #expect(try await stream.event()?.data == ["reason": "draining"]) }
            // The owner has no streams any more.
            let document = try await first.eventually(TestRequest("GET", session.path)) { $0.at("/subscribers") == 0 }
            #expect(document.status == 200)
        }
    }

    @Test func sharesShowWhatTheyMay() async throws {
        try await run { here, there in
            let counter = try await here.counterShare()
            let user = try await here.share(["may": ["read"], "select": "/user"])
            var streams: [(EventReader, JSONValue?)] = []
            for (path, pointer) in [(counter.path, "/counter"), (user.path, "/user"), (here.path, "")] {
                let session = LiveSession(server: there.server, path: path)
                let value = try await here.state(pointer)
                for stream in try await open(3, at: session) { streams.append((stream, value)) }
            }
            #expect(try await here.increment().status == 200)
            for (number, (stream, value)) in streams.enumerated() {
                // Nothing has changed for those that see the user.
                if (3..<6).contains(number) { continue }
                let event = try await stream.state()
                #expect(event.revision == 1)
                #expect(event.state != value)
                #expect((event.state?["user"] != nil) == (number >= 6))
            }
        }
    }

    @Test func eachSubjectGetsTheEventsOfItsOwnSession() async throws {
        try await TestCluster.run(configuration: TestTokens.configuration { $0.http.threads = 1 }) { cluster in
            var streams: [String: [EventReader]] = [:]
            for subject in ["alice", "bob"] {
                _ = try await cluster.first.send("GET", "/sessions/me", as: subject)
                let there = LiveSession(server: cluster.second, path: "/sessions/me")
                for _ in 0..<3 {
                    let stream = try await there.events(query: "", TestTokens.field(of: subject))
                    #expect(try await stream.state().revision == 0)
                    streams[subject, default: []].append(stream)
                }
            }
            let action: JSONValue = ["type": "counter/increment", "payload": ["by": 7]]
            for (subject, count) in [("alice", 1), ("bob", 2)] {
                for _ in 0..<count {
                    let done = try await cluster.first.send("POST", "/sessions/me/actions", as: subject, nil, action)
                    #expect(done.status == 200)
                }
                for stream in streams[subject] ?? [] {
                    let last = try await stream.states(upTo: count).last
                    #expect(last?.state?["counter"]?["count"] == .integer(7 * count))
                }
            }
            let metrics = try Exposition(try await cluster.second.get("/metrics")).samples
            #expect(metrics["storehouse_cluster_joined_streams_total"] == 6)
        }
    }

    @Test func afterAHandoverTheClientsGoOnAtTheirNode() async throws {
        try await TestCluster.run(configuration: Self.configuration()) { cluster in
            let there = try await cluster.first.session().at(cluster.second)
            let streams = try await open(6, at: there)
            var revision = 0
            while try await there.increment()["via"] != nil { revision += 1 }
            // Six streams, and the actions: the next action was the first one at the other node.
            #expect(revision == 16 - 6)
            for stream in streams {
                let states = try await stream.states(upTo: revision)
                #expect(states.compactMap(\.revision) == Array(1...revision))
                #expect(try await stream.event()?.data == ["reason": "rotated"])
                #expect(try await stream.event() == nil)
                let fields = [("Last-Event-ID", try #require(states.last?.id))]
                let resumed = try await there.events(query: "?changes=patch", fields)
                #expect(resumed.head["via"] == nil)
                let patch = try #require(try await resumed.event())
                #expect(patch.name == "patch")
                #expect(patch.revision == revision + 1)
            }
        }
    }

    @Test func streamsEndWithoutAReasonIfTheOwnerLosesTheSession() async throws {
        try await TestCluster.run(configuration: Self.configuration()) { cluster in
            let here = try await cluster.first.session()
            let streams = try await open(5, at: here.at(cluster.second))
            try cluster.forgetIncarnations()
            for stream in streams { #expect(try await stream.event() == nil) }
        }
    }

    @Test func aSlowClientSkipsAndDelaysNobody() async throws {
        try await run(Self.configuration { $0.streams.bufferBytes = 4096 }, kind: "planner") { here, there in
            let title = String(repeating: "x", count: 500)
            _ = try await here.post(
                .array(Array(repeating: ["type": "tasks/add", "payload": ["title": .string(title)]], count: 100)))
            let (first, fast) = (try await there.events(), try await there.events())
            let slow = try await there.events(receiveBuffer: 4096)
            for stream in [first, fast, slow] { #expect(try await stream.state().revision == 100) }
            let last = 300
            for revision in 101...last {
                let request = here.request(
                    "tasks/move", ["id": 1, "index": .integer(revision.isMultiple(of: 2) ? 0 : 99)],
                    fields: [("Prefer", "return=minimal")])
                #expect(try await here.server.send(request).status == 204)
                for stream in [first, fast] { #expect(try await stream.state().revision == revision) }
            }
            let shown = try await slow.states(upTo: last)
            let skipped = shown.reduce(0) { $0 + ($1.skipped ?? 0) }
            #expect(skipped > 0)
            #expect(shown.count + skipped == last - 100)
            let revisions = shown.compactMap(\.revision)
            #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
            // It goes on.
            _ = try await here.dispatch("tasks/move", ["id": 1, "index": 3])
            for stream in [first, fast, slow] { #expect(try await stream.state().revision == last + 1) }
        }
    }
}
