import JSON
import Sessions
import StorehouseServer
import Testing

/// `?actions=true`: each committed action is an event before that of its state.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ActionStreamTests {
    private static func next(_ events: EventReader, _ count: Int) async throws -> [StreamEvent] {
        var all: [StreamEvent] = []
        for _ in 0..<count { all.append(try #require(try await events.event())) }
        return all
    }

    /// The events in short: `a3` is the action of revision 3, `s3` its state, `p3` its patch; a star says that it has an id.
    private static func short(_ events: [StreamEvent]) -> [String] {
        events.map { "\($0.name.prefix(1))\($0.revision ?? -1)\($0.id == nil ? "" : "*")" }
    }

    @Test func anActionIsTheEntryOfTheLogBeforeItsState() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?actions=true")
            #expect(try await events.state().revision == 0)
            _ = try await session.increment(3)
            let seen = try await Self.next(events, 2)
            #expect(Self.short(seen) == ["a1", "s1*"])
            #expect(seen[0].name == "action")
            #expect(seen[0].data == (try await session.read("/actions").at("/actions/0")))
            #expect(seen[1].state?["counter"]?["count"] == 3)
        }
    }

    @Test func aBatchHasAllItsActionsBeforeItsOneState() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?actions=true&changes=patch")
            _ = try await events.state()
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 3)))
            #expect(Self.short(try await Self.next(events, 4)) == ["a1", "a2", "a3", "p3*"])
        }
    }

    @Test func anActionThatLeavesTheValueAsItIsHasTheIdItself() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?actions=true&select=/counter")
            let id = try #require(try await events.state().id)
            _ = try await session.dispatch("tasks/add", ["title": "x"])
            _ = try await session.increment()
            let seen = try await Self.next(events, 3)
            #expect(Self.short(seen) == ["a1*", "a2", "s2*"])
            #expect(seen[0].id == id.dropLast() + "1")
        }
    }

    @Test func streamsThatDoNotAskForActionsGetNone() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let asking = try await session.events(query: "?actions=true&select=/counter")
            let plain = try await session.events(query: "?select=/counter")
            for events in [asking, plain] { _ = try await events.state() }
            _ = try await session.dispatch("tasks/add", ["title": "x"])
            _ = try await session.increment()
            #expect(Self.short(try await Self.next(asking, 3)) == ["a1*", "a2", "s2*"])
            #expect(Self.short(try await Self.next(plain, 1)) == ["s2*"])
            try await asking.makeReset()
            _ = try await session.increment()
            #expect(Self.short(try await Self.next(plain, 1)) == ["s3*"])
        }
    }

    @Test func effectsAndActionsComeInTheOrderOfTheCommits() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?actions=true&effects=true&select=/animal")
            _ = try await events.state()
            _ = try await session.dispatch("animal/fetchAnimal")
            _ = try await session.dispatch("animal/cancelFetch")
            let seen = try await Self.next(events, 6)
            #expect(seen.map(\.name) == ["action", "state", "effect", "action", "state", "effect"])
        }
    }

    // MARK: Resuming

    @Test func missedActionsComeBeforeTheNewestState() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let id = try #require(try await session.events().state().id)
            for _ in 1...3 { _ = try await session.increment() }
            let resumed = try await session.events(query: "?actions=true", [("Last-Event-ID", id)])
            #expect(Self.short(try await Self.next(resumed, 4)) == ["a1", "a2", "a3", "s3*"])
            _ = try await session.increment()
            #expect(Self.short(try await Self.next(resumed, 2)) == ["a4", "s4*"])
        }
    }

    @Test func missedActionsComeBeforeTheMissedPatchesAndThoseWithoutPatchBehind() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let query = "?actions=true&changes=patch&select=/counter"
            let id = try #require(try await session.events(query: query).state().id)
            _ = try await session.increment()
            _ = try await session.dispatch("tasks/add", ["title": "x"])
            _ = try await session.increment()
            _ = try await session.dispatch("tasks/add", ["title": "y"])
            let resumed = try await session.events(query: query, [("Last-Event-ID", id)])
            let seen = try await Self.next(resumed, 6)
            #expect(Self.short(seen) == ["a1", "a2", "a3", "p1*", "p3*", "a4*"])
            // Whoever comes back with the last id is sent nothing again.
            let again = try await session.events(query: query, [("Last-Event-ID", try #require(seen[5].id))])
            _ = try await session.increment()
            #expect(Self.short(try await Self.next(again, 2)) == ["a5", "p5*"])
        }
    }

    @Test func ofAnUnchangedValueOnlyTheMissedActionsAreSent() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            // It knows that the value has not changed.
            let watching = try await session.events(query: "?select=/counter")
            let id = try #require(try await watching.state().id)
            for _ in 1...2 { _ = try await session.dispatch("tasks/add", ["title": "x"]) }
            let resumed = try await session.events(query: "?actions=true&select=/counter", [("Last-Event-ID", id)])
            #expect(Self.short(try await Self.next(resumed, 2)) == ["a1*", "a2*"])
        }
    }

    /// More commits than are in memory, of which the log may have only some.
    @Test(arguments: [false, true], [nil, 100])
    func missedActionsAreReadFromTheLog(_ onRedis: Bool, _ keepCommits: Int?) async throws {
        let configuration = Configuration.with { if let keepCommits { $0.storage.keepCommits = keepCommits } }
        try await DurableServer(onRedis: onRedis).runAPI(configuration: configuration) { api in
            let session = try await api.session()
            let id = try #require(try await session.events().state().id)
            for _ in 0..<5 {
                _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 100)))
            }
            if keepCommits != nil {
                // Not more than 200 are left, so that nothing is deleted while the stream reads.
                let deleted = TestRequest("GET", session.path + "/actions?after=299")
                _ = try await api.eventually(deleted) { $0.status == 410 }
            }
            let resumed = try await session.events(query: "?actions=true", [("Last-Event-ID", id)])
            var revisions: [Int] = []
            while let event = try await resumed.event(), event.name == "action" {
                revisions.append(event.revision ?? -1)
            }
            let first = try #require(revisions.first)
            #expect(revisions == Array(first...500))
            #expect(keepCommits == nil ? first == 1 : first > 300)
        }
    }

    @Test func onlyTheNewestMissedActionsAreSentIfTheyAreLong() async throws {
        let configuration = Configuration.with {
            $0.http.maxBodyBytes = 1 << 20
            $0.sessions.maxStateBytes = 1 << 28
        }
        try await TestAPI.run(configuration: configuration) { api in
            let session = try await api.session("planner")
            let id = try #require(try await session.events().state().id)
            for _ in 0..<4 { #expect(try await session.post(.longTasks(50)).status == 200) }
            let resumed = try await session.events(query: "?actions=true&select=/none", [("Last-Event-ID", id)])
            var (revisions, bytes) = ([Int](), 0)
            while revisions.last != 200 {
                let event = try #require(try await resumed.event())
                guard event.name == "action" else { continue }
                revisions.append(event.revision ?? -1)
                bytes += event.data.encoded().count
            }
            let first = try #require(revisions.first)
            #expect(revisions == Array(first...200))
            #expect(bytes <= StreamLimits.mostMissedBytes && bytes > StreamLimits.mostMissedBytes / 2)
        }
    }

    // MARK: Slow readers, shares, terminals, nodes

    /// The value does not change, but the client learns that it has missed actions.
    @Test func aSlowReaderIsToldThatItHasMissedActions() async throws {
        let configuration = Configuration.with {
            $0.streams.bufferBytes = 4096
            $0.http.maxBodyBytes = 1 << 20
            $0.sessions.maxStateBytes = 1 << 28
        }
        try await LiveServer.run(configuration: configuration) { server in
            let session = try await server.session("planner")
            let slow = try await session.events(query: "?actions=true&select=/none", receiveBuffer: 4096)
            _ = try await slow.state()
            var last = 0
            for _ in 0..<40 {
                #expect(try await session.post(.longTasks(50)).status == 200)
                last += 50
            }
            var (seen, skipped) = ([Int](), 0)
            while seen.last != last {
                let event = try #require(try await slow.event())
                #expect((event.name == "state") == (event.skipped != nil))
                seen.append(event.revision ?? -1)
                skipped += event.skipped ?? 0
            }
            #expect(skipped > 0)
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func aShareShowsNoActions() async throws {
        try await TestAPI.run { api in
            let share = try await api.session().share()
            let refused = try await api.get(share.path + "/events?actions=true")
            #expect(refused.status == 400 && refused.code == "malformed-request")
            #expect(refused[json: "detail"]?.asString?.contains("A share shows no actions") == true)
        }
    }

    @Test func aTerminalGetsALineForEachAction() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let client = try api.client()
            let target = session.path + "/events?actions=true&select=/counter"
            try await client.send(TestRequest("GET", target, [("Accept", "text/plain")]).bytes)
            #expect(try await client.head().status == 200)
            _ = try await session.increment(2)
            _ = try await session.dispatch("tasks/add", ["title": "milk"])
            _ = try await session.delete()
            var text = ""
            while let chunk = try await client.chunk() { text += String(decoding: chunk, as: UTF8.self) }
            let lines = text.split(separator: "\n").map { $0.drop { $0 != "Z" }.dropFirst(2) }
            #expect(
                lines == [
                    #"#0 {"count":0}"#, #"#1 counter/increment {"by":2} (client)"#,
                    "#1 counter/increment /count: 0 → 2", #"#2 tasks/add {"title":"milk"} (client)"#,
                    "(closed: session-ended)",
                ])
        }
    }

    @Test func theStreamOfAnotherNodeHasTheSameEvents() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            let events = try await there.events(query: "?actions=true&select=/counter")
            let plain = try await there.events(query: "?select=/counter")
            let id = try #require(try await events.state().id)
            _ = try await plain.state()
            _ = try await here.increment()
            _ = try await there.dispatch("tasks/add", ["title": "x"])
            _ = try await there.increment()
            #expect(Self.short(try await Self.next(events, 5)) == ["a1", "s1*", "a2*", "a3", "s3*"])
            #expect(Self.short(try await Self.next(plain, 2)) == ["s1*", "s3*"])
            let resumed = try await there.events(query: "?actions=true&select=/counter", [("Last-Event-ID", id)])
            #expect(Self.short(try await Self.next(resumed, 4)) == ["a1", "a2", "a3", "s3*"])
        }
    }
}
