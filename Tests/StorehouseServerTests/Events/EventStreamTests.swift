import JSON
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// The live stream: how it begins, and which commits are events.
@Suite struct EventStreamTests {
    @Test func theHeadPreventsCachingAndBuffering() async throws {
        try await TestAPI.run { api in
            let events = try await api.session().events()
            #expect(events.head["content-type"] == "text/event-stream; charset=utf-8")
            #expect(events.head["cache-control"] == "no-store, no-transform")
            #expect(events.head["x-accel-buffering"] == "no")
            #expect(events.head["x-content-type-options"] == "nosniff")
        }
    }

    @Test func retryCommentAndStateAreSentAtOnce() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment(4)
            let events = try await session.events()
            let opening = [try await events.item(), try await events.item()]
            #expect(opening.contains { if case .retry = $0 { true } else { false } })
            #expect(opening.contains { if case .comment = $0 { true } else { false } })
            let first = try await events.state()
            #expect(first.data.asObject?.names == ["revision", "state"])
            #expect(first.revision == 1)
            #expect(first.state == (try await session.state()))
        }
    }

    @Test func eachCommitThatChangesTheStateIsOneEvent() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events()
            #expect(try await events.state().revision == 0)
            for revision in 1...5 {
                _ = try await session.increment()
                let event = try await events.state()
                #expect(event.revision == revision)
                #expect(event.state?["counter"] == ["count": .integer(revision)])
            }
        }
    }

    @Test func aCommitWithoutChangesIsNoEvent() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.dispatch("calendar/selectDay", ["day": "2024-01-01"])
            let events = try await session.events()
            _ = try await events.state()
            _ = try await session.dispatch("calendar/selectDay", ["day": "2024-01-01"])
            _ = try await session.dispatch("betslip/placeBet")
            _ = try await session.dispatch("animal/ackError")
            _ = try await session.increment()
            // Revision 2, the rejected and the ignored action are no events.
            #expect(try await events.state().revision == 3)
        }
    }

    @Test(arguments: ["?select=/counter/count", "?select=%2Fcounter%2Fcount"])
    func aSelectionShowsOnlyItsOwnChanges(_ query: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: query)
            let first = try await events.state()
            #expect(first.state == 0)
            _ = try await session.dispatch("user/balanceIncrease", ["value": 5])
            _ = try await session.dispatch("tasks/add", ["title": "x"])
            _ = try await session.increment(2)
            let second = try await events.state()
            #expect(second.revision == 3)
            #expect(second.state == 2)
        }
    }

    @Test func namedSelectorsAndAbsentValuesCanBeWatched() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            let summary = try await session.events(query: "?select=summary")
            let entity = try await session.events(query: "?select=/tasks/entities/1/title")
            #expect(try await summary.state().state?["open"] == 0)
            #expect(try await entity.state().state == .null)
            _ = try await session.dispatch("calendar/selectDay", ["day": "2024-01-01"])
            _ = try await session.dispatch("tasks/add", ["title": "Read"])
            let changed = try await summary.state()
            #expect(changed.revision == 2)
            #expect(changed.state?["open"] == 1)
            #expect(try await entity.state().state == "Read")
            _ = try await session.dispatch("tasks/remove", ["id": 1])
            #expect(try await entity.state().state == .null)
        }
    }

    @Test func aBatchIsOneEvent() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events()
            _ = try await events.state()
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 10)))
            _ = try await session.increment()
            let batch = try await events.state()
            #expect(batch.revision == 10)
            #expect(batch.state?["counter"]?["count"] == 10)
            #expect(batch.skipped == nil)
            #expect(try await events.state().revision == 11)
        }
    }

    @Test func commitsOfEffectsAreSent() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session("animal")
            let events = try await session.events(query: "?select=/animal/currentAnimal")
            #expect(try await events.state().state == "")
            _ = try await session.dispatch("animal/fetchAnimal")
            #expect(try await events.state().state == "Loading...")
            remote.reply(#"{"animal":"Iguana"}"#)
            #expect(try await events.state().state == "Iguana")
        }
    }

    @Test func openStreamsAreCounted() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            var streams: [EventReader] = []
            for query in ["", "", "?select=/counter"] { streams.append(try await session.events(query: query)) }
            #expect(try await session.read()[json: "subscribers"] == 3)
            try await streams[0].makeReset()
            streams.removeFirst()
            _ = try await api.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 2 }
            streams = []
            _ = try await api.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 0 }
            // The session continues as before.
            #expect(try await session.increment().revision == 1)
            let again = try await session.events()
            #expect(try await again.state().revision == 1)
        }
    }

    @Test func streamsOverTheLimitAreRefusedUntilOneEnds() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.maxPerSession = 2 }) { api in
            let session = try await api.session()
            let other = try await api.session()
            var streams = [try await session.events(), try await session.events()]
            let refused = try await session.read("/events")
            #expect(refused.status == 429)
            #expect(refused.code == "too-many-streams")
            #expect(refused["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            _ = try await other.events()
            streams.removeLast()
            _ = try await api.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 1 }
            _ = try await session.events()
            withExtendedLifetime(streams) {}
        }
    }

    @Test func viewsOverTheLimitAreRefusedUntilOneEnds() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.maxViews = 2 }) { api in
            let session = try await api.session()
            var streams = [
                try await session.events(query: "?select=/counter"),
                try await session.events(query: "?select=/counter"),
                try await session.events(query: "?select=/counter&changes=patch"),
            ]
            let refused = try await session.read("/events")
            #expect(refused.status == 429)
            #expect(refused.code == "too-many-views")
            #expect(refused["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            // A view that is there already may be shared, and effects are no view.
            streams.append(try await session.events(query: "?select=/counter&effects=true"))
            _ = try await api.session().events()
            streams.remove(at: 2)
            _ = try await api.eventually(TestRequest("GET", session.path)) { $0[json: "subscribers"] == 3 }
            streams.append(try await session.events())
            _ = try await session.increment()
            for stream in streams {
                #expect(try await stream.state().revision == 0)
                #expect(try await stream.state().revision == 1)
            }
        }
    }

    @Test(arguments: ["", "&changes=patch", "&effects=true"])
    func aHeartbeatIsAnEventWithoutAnIDForAPageThatAsksForThat(_ query: String) async throws {
        try await TestAPI.run(configuration: .with { $0.streams.heartbeat = .milliseconds(50) }) { api in
            let session = try await api.session()
            let events = try await session.events(query: "?heartbeat=event" + query)
            _ = try await events.state()
            for _ in 0..<2 {
                #expect(try await events.item() == .event(StreamEvent(name: "heartbeat", data: [:])))
            }
            let shared = LiveSession(server: api, path: try await session.share().path)
            let ofShare = try await shared.events(query: "?heartbeat=event")
            _ = try await ofShare.state()
            #expect(try await ofShare.event() == StreamEvent(name: "heartbeat", data: [:]))
        }
    }

    @Test(arguments: ["", "comment", "Event", "false", "1", "event&heartbeat=event"])
    func anotherValueOfHeartbeatIsRefused(_ value: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.share()
            for path in [session.path, share.path] {
                let refused = try await api.get("\(path)/events?heartbeat=\(value)")
                #expect(refused.status == 400)
                #expect(refused.code == "malformed-request")
            }
        }
    }

    @Test func theFirstCommentSaysHowLongTheStreamIsSilent() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.heartbeat = .milliseconds(1500) }) { api in
            let events = try await api.session().events()
            let opening = [try await events.item(), try await events.item()]
            #expect(opening.contains(.comment("heartbeat 1500 ms")))
        }
    }

    @Test func manyStreamsOfASessionAreTheDefault() {
        #expect(Configuration().streams.maxPerSession == 10_000)
    }

    @Test func aCommentBreaksSilence() async throws {
        try await TestAPI.run(configuration: .with { $0.streams.heartbeat = .milliseconds(50) }) { api in
            let session = try await api.session()
            let events = try await session.events()
            _ = try await events.state()
            for _ in 0..<2 {
                let item = try await events.item()
                guard case .comment = item else { throw Wire.Failure.malformed("no comment") }
            }
            _ = try await session.increment()
            #expect(try await events.state().revision == 1)
        }
    }

    @Test func aStreamToAnHTTP10ClientIsNotChunked() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let client = try api.client()
            try await client.send("GET \(session.path)/events?select=/counter HTTP/1.0\r\n\r\n")
            let head = try await client.head()
            #expect(head.status == 200)
            #expect(head["transfer-encoding"] == nil)
            _ = try await session.increment()
            _ = try await session.delete()
            var parser = EventParser()
            try parser.feed(try await client.rest())
            var events: [StreamEvent] = []
            while let item = parser.next() {
                if case .event(let event) = item { events.append(event) }
            }
            #expect(events.map(\.name) == ["state", "state", "closed"])
            #expect(events[1].state == ["count": 1])
        }
    }

    @Test func aWildcardAcceptGetsTheStream() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for accept in ["*/*", "text/event-stream", "text/*", "application/json, text/event-stream;q=0.5"] {
                let events = try await session.events([("Accept", accept)])
                #expect(try await events.state().revision == 0)
            }
        }
    }
}
