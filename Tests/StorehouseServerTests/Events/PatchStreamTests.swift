import JSON
import StorehouseServer
import StoresTesting
import Testing

/// Streams of patches.
@Suite struct PatchStreamTests {
    @Test func patchesFollowTheFirstState() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?changes=patch")
            let first = try await events.state()
            #expect(first.revision == 0)
            _ = try await session.increment(2)
            let second = try #require(try await events.event())
            #expect(second.name == "patch")
            #expect(second.id == first.id.map { $0.dropLast() + "1" })
            #expect(
                second.data == [
                    "revision": 1, "patch": [["op": "replace", "path": "/counter/count", "value": 2]],
                ])
        }
    }

    @Test(arguments: ["", "state"])
    func withoutChangesPatchStatesFollow(_ form: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: form.isEmpty ? "" : "?changes=\(form)")
            _ = try await session.increment()
            #expect(try await events.states(upTo: 1).last?.revision == 1)
        }
    }

    @Test(arguments: ["", "patches", "Patch", "patch,state", "%00"])
    func anUnknownFormatIsRefused(_ form: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.read("/events?changes=\(form)")
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
        }
    }

    @Test(arguments: [
        ("/tasks/entities", 3), ("/tasks/entities/1", 2), ("/tasks/entities/1/title", 2), ("/tasks/ids/0", 1),
        ("/counter", 0), ("summary", 3), ("favoriteTasks", 0),
    ])
    func anUnchangedSelectedValueIsNoEvent(_ select: String, _ count: Int) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?changes=patch&select=\(select)")
            var value = try await events.state().state
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            _ = try await session.dispatch("tasks/edit", ["id": 1, "title": "one"])
            _ = try await session.dispatch("tasks/edit", ["id": 1, "title": "two", "isDone": true])
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            _ = try await session.delete()
            var patches = 0
            while let event = try await events.event(), event.name == "patch" {
                let before = value
                value = try event.applied(to: value)
                #expect(value != before)
                patches += 1
            }
            #expect(patches == count)
        }
    }

    @Test func aBatchIsOneEventForItsLastRevision() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?changes=patch")
            let first = try await events.state()
            _ = try await session.post([
                ["type": "counter/increment"], ["type": "tasks/add", "payload": ["title": "one"]],
                ["type": "tasks/remove", "payload": ["id": 1]],
            ])
            let event = try #require(try await events.event())
            #expect(event.name == "patch" && event.revision == 3)
            #expect(try event.applied(to: first.state) == (try await session.state()))
        }
    }

    @Test func aReconnectingClientGetsTheMissedPatches() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let first = try await session.events().state()
            for _ in 1...3 { _ = try await session.increment() }
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            let resumed = try await session.events(
                query: "?changes=patch&select=/counter", [("Last-Event-ID", try #require(first.id))])
            var value = first.state?["counter"]
            for revision in 1...3 {
                let event = try #require(try await resumed.event())
                #expect(event.name == "patch" && event.revision == revision)
                value = try event.applied(to: value)
            }
            #expect(value == ["count": 3])
            _ = try await session.increment()
            #expect(try await resumed.event()?.revision == 5)
        }
    }

    @Test func aStateReplacesPatchesThatAreNoLongerRetained() async throws {
        try await TestAPI.run(configuration: .with { $0.storage.keepCommits = 4 }) { api in
            let session = try await api.session()
            let first = try await session.events().state()
            for _ in 1...40 { _ = try await session.increment() }
            let resumed = try await session.events(
                query: "?changes=patch", [("Last-Event-ID", try #require(first.id))])
            let event = try await resumed.state()
            #expect(event.revision == 40)
            #expect(event.state == (try await session.state()))
        }
    }

    /// Applied to the first state, the patches result in the state of each revision, also for a client that reconnects.
    @Test(arguments: [("app", ""), ("planner", "&select=/tasks"), ("app", "&select=summary")], 1...2 as ClosedRange)
    func patchesGiveTheStateOfEachRevision(_ subscription: (store: String, select: String), _ seed: UInt64) async throws
    {
        try await TestAPI.run { api in
            let session = try await api.session(subscription.store)
            let last = 120
            async let writing: Void = Self.write(last, to: session, seed)
            var (seen, value): (StreamEvent, JSONValue?) = (StreamEvent(), nil)
            var random = SeededGenerator(seed: seed)
            while seen.revision ?? -1 < last {
                let fields = seen.id.map { [("Last-Event-ID", $0)] } ?? []
                let stream = try await session.events(query: "?changes=patch" + subscription.select, fields)
                for _ in 0..<Int.random(in: 1...20, using: &random) where seen.revision ?? -1 < last {
                    let event = try #require(try await stream.event())
                    #expect(event.revision ?? -1 > seen.revision ?? -1)
                    value = try event.applied(to: value)
                    seen = event
                    if !subscription.select.contains("summary"), Int.random(in: 0..<4, using: &random) == 0 {
                        let past = try await session.read(
                            "/state?revision=\(event.revision ?? -1)" + subscription.select)
                        #expect(past.revision == event.revision)
                        #expect(past[json: "state"] == value)
                    }
                }
            }
            try await writing
            #expect(value == (try await session.read("/state?" + subscription.select.dropFirst())[json: "state"]))
        }
    }

    /// Each commit changes every selected value.
    private static func write(_ count: Int, to session: LiveSession, _ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let client = try session.server.client()
        for number in 1...count {
            let id = Int.random(in: 1...max(1, number - 1), using: &random)
            let isLast = number == count
            let action: (String, JSONValue) =
                switch isLast ? 0 : Int.random(in: 0..<4, using: &random) {
                case 1: ("tasks/edit", ["id": .integer(id), "title": .string("task \(number)")])
                case 2: ("tasks/move", ["id": .integer(id), "index": .integer(number % 7)])
                case 3: ("tasks/favorite", ["id": .integer(id)])
                default: ("tasks/add", ["title": "x"])
                }
            let response = try await client.exchange(session.request(action.0, action.1))
            // A rejected action is replaced by one that is always accepted, so that each iteration is one revision.
            if response.status != 200 || response[json: "outcome"] != "committed" {
                _ = try await client.exchange(session.request("tasks/add", ["title": "y"]))
            }
        }
    }
}
