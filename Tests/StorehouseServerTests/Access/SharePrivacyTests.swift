import HTTP
import JSON
import StorehouseServer
import Testing

@Suite("A share reveals nothing outside of what it shows")
struct SharePrivacyTests {
    private static func run(_ isDurable: Bool, _ body: (TestAPI) async throws -> Void) async throws {
        let configuration = Configuration.with { $0.streams.heartbeat = .milliseconds(100) }
        if isDurable {
            try await DurableServer().runAPI(configuration: configuration, body)
        } else {
            try await TestAPI.run(configuration: configuration, body)
        }
    }

    @Test("its revisions and entity tags are the session's own", arguments: [false, true])
    func revisions(isDurable: Bool) async throws {
        try await Self.run(isDurable) { api in
            let session = try await api.session()
            _ = try await session.increment()
            for _ in 0..<3 { try await session.commitElsewhere() }
            let share = try await session.counterShare()
            let first = try await share.state()
            #expect(first.json == ["revision": 4, "state": ["count": 1]] && first.taggedRevision == 4)
            let tag = try #require(first["etag"])
            #expect(try await share.state("", [("If-None-Match", tag)]).status == 304)
            try await session.commitElsewhere()
            #expect(try await share.state("", [("If-None-Match", tag)]).revision == 5)
            // An action that changes nothing that it shows.
            let outside = try await share.post(["type": "tasks/add", "payload": ["title": "other"]])
            #expect(outside.json == ["revision": 6, "outcome": "committed", "state": ["count": 1]])
            let known = try #require(outside["etag"])
            #expect(try await share.post(["type": "counter/increment"], "", [("If-Match", known)]).revision == 7)
            let late = try await share.post(["type": "counter/increment"], "", [("If-Match", known)])
            #expect(late.code == "revision-mismatch" && late.revision == 7 && late.taggedRevision == 7)
            #expect(try await share.post(["type": "counter/increment"], "", [("If-Match", "\"7\"")]).revision == 8)
            #expect(try await session.revision() == 8)
        }
    }

    @Test(
        "a stream sends nothing for a commit elsewhere, and its silence is broken as always", arguments: [false, true])
    func streams(isDurable: Bool) async throws {
        try await Self.run(isDurable) { api in
            let session = try await api.session()
            _ = try await session.increment()
            try await session.commitElsewhere()
            let share = try await session.counterShare()
            for query in ["", "?changes=patch"] {
                let stream = try await share.events(query)
                let first = try await stream.state()
                let revision = try #require(first.revision)
                #expect(try await share.state().revision == revision)
                for _ in 0..<3 { try await session.commitElsewhere() }
                for _ in 0..<3 {
                    guard case .comment("") = try await stream.item() else {
                        throw Wire.Failure.malformed("no heartbeat")
                    }
                }
                let action = try await session.increment()
                let next = try #require(try await stream.event())
                #expect(next.revision == action.revision)
                #expect(next.id?.hasSuffix("-\(action.revision ?? 0)") == true)
                // Coming back after commits elsewhere is coming back to the same.
                for _ in 0..<2 { try await session.commitElsewhere() }
                let resumed = try await share.events(query, [("Last-Event-ID", try #require(next.id))])
                for _ in 0..<4 {
                    if case .event = try await resumed.item() { throw Wire.Failure.malformed("it is repeated") }
                }
                let old = try await share.events(query, [("Last-Event-ID", try #require(first.id))])
                let missed = try #require(try await old.event())
                #expect(missed.revision == (query.isEmpty ? try await session.revision() : next.revision))
                #expect(missed.name == (query.isEmpty ? "state" : "patch"))
            }
        }
    }

    @Test("an event of a batch has the revision of the whole batch")
    func batches() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.counterShare()
            let (states, patches) = (try await share.events(), try await share.events("?changes=patch"))
            for stream in [states, patches] { _ = try await stream.state() }
            let add: JSONValue = ["type": "tasks/add", "payload": ["title": "one"]]
            #expect(try await session.post([add, ["type": "counter/increment"], add, add]).revision == 4)
            #expect(try await states.event()?.data == ["revision": 4, "state": ["count": 1]])
            let patch = try #require(try await patches.event())
            #expect(patch.revision == 4)
            #expect(patch.data["patch"] == [["op": "replace", "path": "/count", "value": 1]])
        }
    }

    @Test("the lines for a terminal name no action")
    func terminalLines() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.counterShare()
            let client = try api.client()
            try await client.send(TestRequest("GET", share.path + "/events", [("Accept", "text/plain")]).bytes)
            #expect(try await client.head().status == 200)
            _ = try await client.chunk()
            try await session.commitElsewhere()
            _ = try await session.increment()
            let line = String(decoding: try #require(try await client.chunk()), as: UTF8.self)
            #expect(line.contains("#2 /count: 0 → 1") && !line.contains("increment"))
        }
    }

    @Test("a dry run shows the patch of what the share shows only")
    func dryRuns() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.counterShare()
            let inside = try await share.post(["type": "counter/increment"], "?dryRun=true")
            #expect(inside.json["patch"] == [["op": "replace", "path": "/count", "value": 1]])
            let outside = try await share.post(
                ["type": "tasks/add", "payload": ["title": "other"]], "?dryRun=true")
            #expect(outside.json["patch"] == [] && outside.json["state"] == ["count": 0])
            let narrow = try await share.post(["type": "counter/increment"], "?dryRun=true&select=/count")
            #expect(narrow.json["state"] == 1)
            #expect(narrow.json["patch"] == [["op": "replace", "path": "", "value": 1]])
            #expect(narrow.json["effects"] == nil && narrow.revision == 0)
        }
    }

    @Test("its idempotency keys are its own", arguments: [false, true])
    func keys(isDurable: Bool) async throws {
        try await Self.run(isDurable) { api in
            let session = try await api.session()
            let (one, two) = (try await session.counterShare(), try await session.counterShare())
            let key = [("Idempotency-Key", "\"k\"")]
            let action: JSONValue = ["type": "counter/increment"]
            #expect(try await session.post(action, key).revision == 1)
            try await session.commitElsewhere()
            let first = try await one.post(action, "", key)
            #expect(first.revision == 3 && first["idempotency-replayed"] == nil)
            #expect(try await two.post(action, "", key).revision == 4)
            try await session.commitElsewhere()
            for _ in 0..<2 {
                let again = try await one.post(action, "", key)
                #expect(again["idempotency-replayed"] == "true" && again.json == first.json)
                #expect(again["etag"] == first["etag"])
            }
            let outside: JSONValue = ["type": "tasks/add", "payload": ["title": "other"]]
            let other = try await one.post(outside, "", [("Idempotency-Key", "\"o\"")])
            #expect(other.revision == 6)
            let replayed = try await one.post(outside, "", [("Idempotency-Key", "\"o\"")])
            #expect(replayed.json == other.json && replayed["etag"] == other["etag"])
        }
    }

    @Test("an entity row can be shown, also after it was moved and removed")
    func entityRows() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            for _ in 0..<3 { try await session.commitElsewhere() }
            let row = try #require(try await session.state("/tasks")?.asObject?.names)
            #expect(row.contains("entities"), "\(row)")
            let share = try await session.share(["select": "/tasks/entities/2"])
            #expect(try await share.state().json["revision"] == 3)
            let stream = try await share.events()
            #expect(try await stream.state().state?["title"] == "a task that nobody may see")
            #expect(try await session.dispatch("tasks/edit", ["id": 1, "title": "hidden"]).status == 200)
            #expect(try await session.dispatch("tasks/edit", ["id": 2, "title": "shown"]).status == 200)
            #expect(try await stream.state().data["state"]?["title"] == "shown")
            #expect(try await session.dispatch("tasks/remove", ["id": 2]).status == 200)
            // The selection has vanished.
            #expect(try await stream.state().data == ["revision": 6, "state": nil])
            try await session.commitElsewhere()
            #expect(try await share.state().json == ["revision": 7, "state": nil])
            #expect(try await share.state("?select=/title").json == ["revision": 7, "state": nil])
        }
    }

    @Test("a commit around it that leaves it equal is no event", arguments: [false, true])
    func equalValues(isDurable: Bool) async throws {
        try await Self.run(isDurable) { api in
            let session = try await api.session()
            for _ in 0..<3 { try await session.commitElsewhere() }
            let title = try await session.share(["select": "/tasks/entities/2/title"])
            let summary = try await session.share(["select": "summary"])
            let streams = [
                try await title.events(), try await title.events("?changes=patch"), try await summary.events(),
            ]
            for stream in streams { _ = try await stream.state() }
            // Its entity, an entity with a smaller id, and something else. The last two change the selector.
            #expect(try await session.dispatch("tasks/edit", ["id": 2, "due": "2026-01-01"]).status == 200)
            #expect(try await session.dispatch("tasks/remove", ["id": 1]).status == 200)
            #expect(try await session.dispatch("tasks/add", ["title": "in its place"]).status == 200)
            #expect(try await session.increment().status == 200)
            #expect(try await session.increment().status == 200)
            #expect(try await session.dispatch("tasks/edit", ["id": 2, "title": "shown"]).revision == 9)
            #expect(try await session.dispatch("tasks/edit", ["id": 2, "isDone": true]).revision == 10)
            for stream in streams.prefix(2) { #expect(try await stream.event()?.revision == 9) }
            for revision in [5, 6, 10] { #expect(try await streams[2].state().revision == revision) }
        }
    }

    @Test("what its client selects in it has the same revisions")
    func narrowSelections() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.share(["may": ["read", "act"], "select": "/tasks"])
            for _ in 0..<2 { try await session.commitElsewhere() }
            let read = try await share.state("?select=/favorited")
            #expect(read.json == ["revision": 2, "state": []])
            let stream = try await share.events("?select=/favorited")
            #expect(try await stream.state().data == read.json)
            #expect(try await session.dispatch("tasks/favorite", ["id": 1]).revision == 3)
            #expect(try await stream.state().data == ["revision": 3, "state": [1]])
        }
    }

    @Test("neither the id nor anything else is in any byte that the server sends, nor the share in the log")
    func leaksNothing() async throws {
        try await TestAPI.run(configuration: .with { $0.log.access = .all }) { api in
            let session = try await api.session()
            let id = session.id
            let share = try await session.counterShare()
            #expect(!share.answer.text.contains(id))
            try await session.commitElsewhere()
            let increment: JSONValue = ["type": "counter/increment"]
            var responses = [
                try await share.state(), try await share.state("?select=counter"), try await share.state("?revision=0"),
                try await share.state("?select=/count&select=/count"),
                try await share.state("", [("If-None-Match", "*")]),
                try await share.state("", [("Accept", "image/png")]),
                try await share.post(increment), try await share.post(increment, "?dryRun=true"),
                try await share.post(increment, "", [("Prefer", "return=minimal")]),
                try await share.post(increment, "", [("Prefer", "wait=1")]),
                try await share.post(increment, "", [("If-Match", "\"99\"")]),
                try await share.post(["type": "counter/nothing"]),
                try await share.post(["type": "login/authenticated"]),
                try await share.post(["type": "betslip/placeBet"]),
                try await share.post(["type": "animal/fetchAnimal"]),
                try await share.post([increment, ["type": "betslip/placeBet"]]), try await share.post(1),
                try await api.get(share.path), try await api.get(share.path + "/shares"),
                try await api.get(share.path + "/actions"), try await api.delete(share.path + "/state"),
                try await api.get(share.path + "/events?effects=true"),
            ]
            let page = [("Origin", "https://example.org")]
            responses.append(try await share.state("", page))
            responses.append(try await api.send(TestRequest("OPTIONS", share.path + "/events", page)))
            responses.append(try await share.post(increment, "", page))
            let client = try api.client()
            try await client.send(TestRequest("GET", share.path + "/events?changes=patch").bytes)
            let head = try await client.head()
            var bytes = try #require(try await client.chunk())
            try await session.commitElsewhere()
            _ = try await session.increment()
            bytes += try #require(try await client.chunk())
            #expect(try await session.delete().status == 204)
            while let more = try await client.chunk() { bytes += more }
            responses += [head] + (try await share.everything())
            let texts =
                responses.map { $0.text + $0.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
                + [String(decoding: bytes, as: UTF8.self)]
            for text in texts {
                for hidden in [id, "a task that nobody", "\"effects\"", "tasks", "effect:", "/sessions/"] {
                    #expect(!text.contains(hidden), "\(hidden) in \(text)")
                }
            }
            let log = api.log.text
            #expect(log.contains("/shared/{share}/state") && log.contains("/shared/{share}/events"))
            #expect(!log.contains(share.text) && !log.contains(share.text.prefix(16)) && !log.contains(id))
            let metrics = try await api.get("/metrics").text
            #expect(!metrics.contains(share.text) && !metrics.contains(id))
        }
    }
}
