import JSON
import Sessions
import StorehouseServer
import Testing

/// `?ready=true`: a stream says once that its client is up to date.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ReadyTests {
    private static func names(_ events: EventReader, _ count: Int) async throws -> [String] {
        var names: [String] = []
        for _ in 0..<count { names.append(try #require(try await events.event()).name) }
        return names
    }

    @Test func `ready follows the first value and tells what a client needs to know`() async throws {
        let clock = ManualClock(1_764_442_800_123)
        try await TestAPI.run(clock: clock.clock) { api in
            let session = try await api.session()
            let tag = try #require(try await session.increment()["etag"])
            let events = try await session.events(query: "?ready=true&select=/counter")
            #expect(try await events.state().revision == 1)
            let ready = try #require(try await events.event())
            #expect(ready.name == "ready" && ready.id == nil)
            let history = try #require(tag.dropLast().split(separator: ".", maxSplits: 1).last)
            let version = try #require(try await api.get("/stores/app").json["version"])
            #expect(
                ready.data == [
                    "revision": 1, "history": .string(String(history)), "heartbeat": 3600, "maxBody": 65536,
                    "time": "2025-11-29T19:00:00.123Z", "store": "app", "version": version,
                ])
            // It comes once.
            _ = try await session.increment()
            #expect(try await events.state().revision == 2)
        }
    }

    @Test func `ready tells the configured limits`() async throws {
        let configuration = Configuration.with {
            $0.streams.heartbeat = .milliseconds(62_500)
            $0.http.maxBodyBytes = 100_000
        }
        try await TestAPI.run(configuration: configuration) { api in
            let events = try await api.session().events(query: "?ready=true")
            _ = try await events.state()
            let ready = try #require(try await events.event()).data
            #expect(ready["heartbeat"]?.description == "62.5" && ready["maxBody"] == 100_000)
        }
    }

    @Test func `ready comes at once if nothing was missed`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let id = try #require(try await session.events().state().id)
            let resumed = try await session.events(query: "?ready=true", [("Last-Event-ID", id)])
            let ready = try #require(try await resumed.event())
            #expect(ready.name == "ready" && ready.revision == 0)
            _ = try await session.increment()
            #expect(try await resumed.state().revision == 1)
        }
    }

    @Test func `ready follows what was missed and precedes presence`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let query = "?changes=patch&actions=true&presence=true&ready=true&select=/counter"
            let id = try #require(try await session.events(query: query).state().id)
            _ = try await session.increment()
            try await session.commitElsewhere()
            let resumed = try await session.events(query: query, [("Last-Event-ID", id)])
            #expect(try await Self.names(resumed, 5) == ["action", "patch", "action", "ready", "presence"])
        }
    }

    @Test func `ready is in the write of the first value`() async throws {
        try await TestAPI.run { api in
            let client = try api.client()
            try await client.send(TestRequest("GET", try await api.session().path + "/events?ready=true").bytes)
            #expect(try await client.head().status == 200)
            let write = String(decoding: try await client.some(), as: UTF8.self)
            #expect(write.contains("event: state\n") && write.contains("event: ready\n"))
        }
    }

    @Test func `ready comes through a share`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.counterShare().events("?ready=true")
            _ = try await events.state()
            let ready = try #require(try await events.event())
            #expect(ready.name == "ready" && ready.data["store"] == "app")
            #expect(!ready.data.description.contains(session.id))
        }
    }

    @Test func `each ready counts as an event`() async throws {
        try await TestAPI.run { api in
            let events = try await api.session().events(query: "?ready=true")
            #expect(try await Self.names(events, 2) == ["state", "ready"])
            let samples = try Exposition(try await api.get("/metrics")).samples
            #expect(samples[#"storehouse_events_total{result="sent"}"#] == 2)
        }
    }

    @Test func `ready passes another node`() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let watching = try await here.events()
            _ = try await watching.state()
            let events = try await here.at(cluster.second).events(query: "?ready=true")
            #expect(try await Self.names(events, 2) == ["state", "ready"])
            _ = try await here.increment()
            #expect(try await events.state().revision == 1)
        }
    }

    @Test(arguments: [("ready=false", 0), ("ready=true", 1)])
    func `only a stream that asks gets other bytes than before`(_ parameter: String, _ count: Int) async throws {
        try await TestAPI.run(clock: ManualClock().clock) { api in
            let session = try await api.session()
            let client = try api.client()
            let query = "select=/counter&changes=patch&actions=true&\(parameter)"
            try await client.send("GET \(session.path)/events?\(query) HTTP/1.0\r\n\r\n")
            #expect(try await client.head().status == 200)
            _ = try await session.increment()
            try await session.commitElsewhere()
            _ = try await session.delete()
            var bytes = String(decoding: try await client.rest(), as: UTF8.self)
            let ready = bytes.matches(of: /event: ready\ndata: {.*}\n\n/)
            #expect(ready.count == count)
            for match in ready { bytes.removeSubrange(match.range) }
            bytes.replace(/retry: [0-9]+/, with: "retry: N")
            bytes.replace(/id: .*-/, with: "id: H-")
            #expect(bytes == Self.golden)
        }
    }

    private static let golden = """
        : heartbeat 3600000 ms
        retry: N
        event: state
        id: H-0
        data: {"revision":0,"state":{"count":0}}

        event: action
        data: {"revision":1,"type":"counter/increment","payload":{"by":1},"origin":"client",\
        "actor":{"kind":"anonymous","roles":[]},"cause":null,"at":"2023-11-14T22:13:20.000Z"}

        event: patch
        id: H-1
        data: {"revision":1,"patch":[{"op":"replace","path":"/count","value":1}]}

        event: action
        id: H-2
        data: {"revision":2,"type":"tasks/add","payload":{"title":"a task that nobody may see"},\
        "origin":"client",\
        "actor":{"kind":"anonymous","roles":[]},"cause":null,"at":"2023-11-14T22:13:20.000Z"}

        event: closed
        data: {"reason":"session-ended"}


        """
}
