import CFaultyDisk
import Foundation
import JSON
import Journal
import Sessions
import StorehouseServer
import Testing

/// `?sync=`: events tell whose entries a value contains.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ThroughTests {
    /// A client that has begun its record.
    private struct Client {
        let outbox: TestOutbox
        let mark: String

        init(_ session: LiveSession, _ number: Int = 0) async throws {
            outbox = TestOutbox(session, client: "client-\(1000 + number)-of-a-session")
            mark = try #require(try await outbox.begin().json["mark"]?.asString)
        }

        func events(_ query: String = "", _ fields: [(String, String)] = []) async throws -> EventReader {
            try await LiveSession(server: outbox.server, path: outbox.path)
                .events(query: "?sync=\(outbox.client)&select=/counter\(query)", fields)
        }

        func send(from: Int, _ entries: JSONValue...) async throws {
            #expect(try await outbox.post(outbox.body(from: from, entries)).status == 200)
        }

        func through(_ number: Int) -> JSONValue { .object([mark: .integer(number)]) }
    }

    private static let elsewhere = TestOutbox.entry("tasks/add", ["title": "x"])
    private static let ignored = TestOutbox.entry("animal/ackError")
    private static let rejected = TestOutbox.entry("betslip/placeBet")

    private static func next(_ events: EventReader, _ name: String) async throws -> StreamEvent {
        let event = try #require(try await events.event())
        #expect(event.name == name)
        return event
    }

    @Test func `the first value and ready name the client of the stream`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let (client, other) = (try await Client(session), try await Client(session, 1))
            let early = try await client.events()
            #expect(try await early.state().data["through"] == client.through(0))
            let ready = try await Self.next(early, "ready")
            #expect(ready.data["mark"] == .string(client.mark) && ready.data["through"] == client.through(0))
            #expect(
                ready.data.asObject?.names == [
                    "revision", "history", "mark", "through", "heartbeat", "maxBody", "time", "store", "version",
                ])
            try await other.send(from: 1, TestOutbox.increment)
            try await client.send(from: 1, TestOutbox.increment, Self.ignored)
            let late = try await client.events()
            #expect(try await late.state().data["through"] == client.through(2))
            #expect(try await Self.next(late, "ready").data["through"] == client.through(2))
        }
    }

    @Test func `without a record the client is not named until it has one`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let events = try await session.events(query: "?sync=client-1000-of-a-session&select=/counter")
            #expect(try await events.state().data["through"] == nil)
            let ready = try await Self.next(events, "ready").data
            #expect(ready["mark"] == nil && ready["through"] == nil)
            let client = try await Client(session)
            try await client.send(from: 1, Self.ignored)
            #expect(try await Self.next(events, "ready").data["mark"] == .string(client.mark))
            try await client.send(from: 2, TestOutbox.increment)
            #expect(try await events.state().data["through"] == client.through(2))
        }
    }

    @Test(arguments: ["", "&changes=patch", "&actions=true", "&actions=true&changes=patch"])
    func `a value names the clients whose entries it contains, on the streams of all`(_ query: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let (client, other) = (try await Client(session), try await Client(session, 1))
            let streams = [try await client.events(query), try await other.events(query)]
            let name = query.contains("patch") ? "patch" : "state"
            for events in streams {
                _ = try await events.state()
                _ = try await Self.next(events, "ready")
            }
            try await client.send(from: 1, TestOutbox.increment)
            // Nobody's entry.
            _ = try await session.increment()
            try await other.send(from: 5, TestOutbox.increment)
            for events in streams {
                for through in [client.through(1), JSONValue?.none, other.through(5)] {
                    if query.contains("actions") { _ = try await Self.next(events, "action") }
                    #expect(try await Self.next(events, name).data["through"] == through)
                }
            }
        }
    }

    @Test func `an entry of several actions is one event, live and after a resume`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let client = try await Client(session)
            let events = try await client.events("&changes=patch")
            let id = try #require(try await events.state().id)
            _ = try await Self.next(events, "ready")
            let three = TestOutbox.entry(Array(repeating: ["type": "counter/increment"], count: 3))
            try await client.send(from: 1, three, three)
            for number in 1...2 {
                let event = try await Self.next(events, "patch")
                #expect(event.revision == 3 * number && event.data["through"] == client.through(number))
            }
            let resumed = try await client.events("&changes=patch", [("Last-Event-ID", id)])
            let missed = try await Self.next(resumed, "patch")
            #expect(missed.revision == 6 && missed.data["through"] == client.through(2))
            #expect(try missed.applied(to: ["count": 0]) == ["count": 6])
            #expect(try await Self.next(resumed, "ready").revision == 6)
            // Whoever comes back with the id has missed nothing.
            let again = try await client.events("&changes=patch", [("Last-Event-ID", try #require(missed.id))])
            #expect(try await Self.next(again, "ready").data["through"] == client.through(2))
        }
    }

    @Test func `entries that leave the value as it is bring ready, to their client alone`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let (client, other) = (try await Client(session), try await Client(session, 1))
            let (events, others) = (try await client.events(), try await other.events())
            for stream in [events, others] {
                _ = try await stream.state()
                _ = try await Self.next(stream, "ready")
            }
            let unchanged = [
                Self.ignored, Self.rejected, TestOutbox.entry("counter/increment", ifMatch: "7"),
                TestOutbox.entry("counter/explode"), Self.elsewhere,
            ]
            for (index, entry) in unchanged.enumerated() {
                try await client.send(from: index + 1, entry)
                let ready = try await Self.next(events, "ready")
                #expect(ready.id == nil && ready.data["through"] == client.through(index + 1))
                #expect(ready.revision == (index == 4 ? 1 : 0))
            }
            // One request has one, behind its values.
            try await client.send(from: 6, Self.ignored, TestOutbox.increment, Self.rejected, Self.ignored)
            let value = try await events.state()
            #expect(value.data["through"] == client.through(7) && value.revision == 2)
            #expect(try await Self.next(events, "ready").data["through"] == client.through(9))
            // For the others it is not worth an event of its own.
            #expect(try await others.state().data["through"] == client.through(7))
            _ = try await session.increment()
            for stream in [events, others] {
                #expect(try await stream.state().data["through"] == client.through(9))
            }
        }
    }

    @Test func `an entry that was awaited is told before the next one is run`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("login")
            let client = try await Client(session)
            let events = try await session.events(query: "?sync=\(client.outbox.client)")
            _ = try await events.state()
            _ = try await Self.next(events, "ready")
            let ignored = TestOutbox.entry("login/ackError")
            try await client.send(from: 1, ignored, ignored)
            for number in 1...2 {
                #expect(try await Self.next(events, "ready").data["through"] == client.through(number))
            }
        }
    }

    @Test func `an event names at most 64 clients`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            var clients: [Client] = []
            for number in 0...65 { clients.append(try await Client(session, number)) }
            let (first, last) = (try await clients[0].events(), try await clients[65].events())
            for stream in [first, last] {
                _ = try await stream.state()
                _ = try await Self.next(stream, "ready")
            }
            for client in clients.dropFirst(1).prefix(64) { try await client.send(from: 1, Self.ignored) }
            _ = try await session.increment()
            for stream in [first, last] {
                #expect(try await stream.state().data["through"]?.asObject?.count == 64)
            }
            for client in clients.dropFirst(1) { try await client.send(from: 2, Self.ignored) }
            #expect(try await Self.next(last, "ready").data["through"] == clients[65].through(2))
            try await clients[65].send(from: 3, TestOutbox.increment)
            for stream in [first, last] {
                let event = try await stream.state()
                #expect(event.data["through"] == .null)
            }
            #expect(try await Self.next(last, "ready").data["through"] == clients[65].through(3))
            try await clients[0].send(from: 1, TestOutbox.increment)
            #expect(try await first.state().data["through"] == clients[0].through(1))
        }
    }

    @Test(arguments: ["", "&changes=patch"])
    func `but for the names all streams get the same`(_ format: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let client = try await Client(session)
            let plain = "?select=/counter" + format
            let actions = "&actions=true"
            let streams = [
                try await session.events(query: plain), try await client.events(format),
                try await session.events(query: plain + actions), try await client.events(format + actions),
            ]
            var random = SystemRandomNumberGenerator()
            let entries = [TestOutbox.increment, Self.elsewhere, Self.ignored, Self.rejected]
            for number in 1...40 {
                if random.next() % 3 == 0 { _ = try await session.increment() }
                try await client.send(from: number, entries[Int(random.next() % 4)])
            }
            _ = try await session.delete()
            var seen: [[StreamEvent]] = []
            for stream in streams {
                var events: [StreamEvent] = []
                while var event = try await stream.event() {
                    if seen.count.isMultiple(of: 2) { #expect(event.name != "ready" && event.data["through"] == nil) }
                    if case .object(var data) = event.data {
                        data["through"] = nil
                        event.data = .object(data)
                    }
                    if event.name != "ready" { events.append(event) }
                }
                seen.append(events)
            }
            #expect(seen[0] == seen[1] && seen[2] == seen[3])
            #expect(seen[2].filter { $0.name != "action" }.map(\.data) == seen[0].map(\.data))
        }
    }

    @Test func `a slow reader is told of the last entries`() async throws {
        try await LiveServer.run(configuration: .with { $0.streams.bufferBytes = 4096 }) { server in
            let session = try await server.session("planner")
            let client = try await Client(session)
            let slow = try await session.events(query: "?sync=\(client.outbox.client)", receiveBuffer: 4096)
            // Long titles make each event large, so that the system's buffers are soon full.
            let title = String(repeating: "x", count: 500)
            let task: JSONValue = ["type": "tasks/add", "payload": ["title": .string(title)]]
            try await client.send(from: 1, TestOutbox.entry(Array(repeating: task, count: 100)))
            for number in 2...150 {
                let index = number.isMultiple(of: 2) ? 99 : 0
                try await client.send(
                    from: number, TestOutbox.entry("tasks/move", ["id": 1, "index": .integer(index)]))
            }
            try await client.send(from: 151, Self.ignored)
            var (told, skipped) = (0, 0)
            while told < 151 {
                let event = try #require(try await slow.event())
                skipped += event.skipped ?? 0
                if let number = event.data["through"]?[client.mark]?.asInteger {
                    #expect(number >= told)
                    told = number
                }
            }
            #expect(skipped > 0)
        }
    }

    @Test func `clients of a share are told too`() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.share()
            let outbox = TestOutbox(share)
            let mark = try #require(try await outbox.begin().json["mark"]?.asString)
            let (own, owners) = (try await share.events("?sync=\(outbox.client)"), try await Client(session).events())
            #expect(try await own.state().data["through"] == .object([mark: 0]))
            #expect(try await Self.next(own, "ready").data["mark"] == .string(mark))
            _ = try await owners.state()
            _ = try await Self.next(owners, "ready")
            #expect(try await outbox.send(from: 1, TestOutbox.increment).status == 200)
            for events in [own, owners] {
                #expect(try await events.state().data["through"] == .object([mark: 1]))
            }
            // The holder of the session's id has the same client id, and no record.
            let holder = try await session.events(query: "?sync=\(outbox.client)")
            #expect(try await holder.state().data["through"] == nil)
        }
    }

    /// Clients on several loops send at once, on a storage whose writes take their time.
    @Test(arguments: ["", "&changes=patch", "&actions=true"])
    func `revisions and numbers only grow, and the last entry is told`(_ query: String) async throws {
        try await DurableServer().run { server in
            let session = try await server.session()
            let count = 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    let client = try await Client(session, number)
                    let events = try await client.events(query)
                    group.addTask {
                        let entries = [TestOutbox.increment, Self.elsewhere, Self.ignored, Self.rejected]
                        for entry in 1...count {
                            try await client.send(from: entry, entries[Int.random(in: 0..<4)])
                        }
                    }
                    group.addTask { try await Self.follow(events, client, upTo: count) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Reads until the last entry of a client is told.
    private static func follow(_ events: EventReader, _ client: Client, upTo count: Int) async throws {
        var (revision, told) = (0, 0)
        while told < count {
            let event = try #require(try await events.event())
            let next = try #require(event.revision)
            #expect(next >= revision)
            revision = next
            guard event.name != "action", let number = event.data["through"]?[client.mark]?.asInteger else { continue }
            // A value names also those that `ready` has told.
            #expect(event.name == "ready" ? number > told || number == 0 : number >= told)
            told = number
        }
    }

    /// The stream ends with the write, so that it would have shown before that what it was told too early.
    @Test func `nothing is told before its record is durable`() async throws {
        let name = "through-" + UUID().uuidString
        let disk = try #require(faulty_disk_make(name))
        try await DurableServer().run(vfs: name) { server in
            let session = try await server.session()
            let client = try await Client(session)
            let events = try await session.events(query: "?sync=\(client.outbox.client)&select=/none")
            _ = try await events.state()
            _ = try await Self.next(events, "ready")
            faulty_disk_hold(disk, 1)
            async let lost = client.outbox.send(from: 1, TestOutbox.increment, Self.rejected)
            try await server.log.line(with: "revision=1 ")
            faulty_disk_fail(disk, FAULTY_SYNC, 0)
            faulty_disk_hold(disk, 0)
            #expect(try await lost.status == 503)
            #expect(try await events.event() == nil)
            faulty_disk_fail(disk, FAULTY_NOT, 0)
            _ = try await server.eventually(TestRequest("GET", "/readyz")) { $0.status == 200 }
            let resumed = try await client.events()
            #expect(try await resumed.state().data["through"] == client.through(0))
            _ = try await Self.next(resumed, "ready")
            try await client.send(from: 1, TestOutbox.increment, Self.rejected)
            #expect(try await resumed.state().data["through"] == client.through(1))
            #expect(try await Self.next(resumed, "ready").data["through"] == client.through(2))
        }
    }

    @Test(arguments: [false, true])
    func `a session that was not in memory tells the same`(_ onRedis: Bool) async throws {
        let configuration = Configuration.with { $0.sessions.maxResident = 1 }
        try await DurableServer(onRedis: onRedis).runAPI(configuration: configuration) { api in
            let session = try await api.session()
            let client = try await Client(session)
            try await client.send(from: 1, TestOutbox.increment, Self.ignored)
            _ = try await api.session().increment()
            try await api.hibernates(to: 1)
            let events = try await client.events()
            #expect(try await events.state().data["through"] == client.through(2))
            _ = try await Self.next(events, "ready")
            try await client.send(from: 3, TestOutbox.increment)
            #expect(try await events.state().data["through"] == client.through(3))
        }
    }

    @Test(arguments: ["text/plain", "text/plain, text/event-stream;q=0.5"])
    func `lines for a terminal tell of no clients`(_ accept: String) async throws {
        try await TestAPI.run { api in
            let path = "/events?sync=\(TestOutbox.usualClient)"
            let refused = try await api.session().read(path, [("Accept", accept)])
            #expect(refused.status == 400 && refused.code == "malformed-request")
        }
    }

    @Test func `a stream of another node tells of clients`() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let client = try await Client(here)
            let watching = try await client.events()
            _ = try await watching.state()
            let there = try await here.at(cluster.second)
                .events(query: "?sync=\(client.outbox.client)&select=/counter")
            _ = try await there.state()
            #expect(try await Self.next(there, "ready").data["mark"] == .string(client.mark))
            try await client.send(from: 1, TestOutbox.increment, Self.ignored)
            #expect(try await there.state().data["through"] == client.through(1))
            #expect(try await Self.next(there, "ready").data["through"] == client.through(2))
        }
    }
}
