import JSON
import StoreHosting
import StorehouseServer
import Stores
import Testing

// Streams.
extension AccessFunctionTests {
    @Test(
        "ends the streams of an actor who may not read any more, and those of nobody else", arguments: Place.allCases)
    func streams(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            _ = try await own.grant(.read, to: "bob")
            _ = try await own.grant(.read, to: "carol")
            let queries = [
                "", "?changes=patch", "?select=/posts", "?select=count", "?select=/posts&actions=true",
                "?changes=patch&actions=true&effects=true",
            ]
            var lost: [EventReader] = []
            var kept: [EventReader] = []
            for query in queries {
                lost.append(try await other.events(query, as: "bob"))
                kept.append(try await other.events(query, as: "carol"))
            }
            for stream in lost + kept { _ = try await stream.state() }
            _ = try await own.grant([], to: "bob")
            _ = try await own.post(as: "ada")
            for (index, stream) in lost.enumerated() {
                let event = try await stream.event()
                #expect(event?.name == "closed" && event?.data["reason"] == "revoked", "\(queries[index])")
                #expect(try await stream.event() == nil)
            }
            for stream in kept {
                var event = try #require(try await stream.event())
                while event.revision != 4 { event = try #require(try await stream.event()) }
                #expect(event.name != "closed")
            }
            let again = try await other.send("GET", "/events", as: "bob", [("Accept", "text/event-stream")])
            #expect(again.status == 403 && again.code == "forbidden")
        }
    }

    @Test("is asked once for each actor with a stream and each commit, however many streams it has")
    func once() async throws {
        let club = ClubKind()
        try await Self.run(.memory, club) { session, _ in
            for user in ["bob", "carol"] { _ = try await session.grant([.read, .act], to: user) }
            var streams: [EventReader] = []
            for query in ["", "?changes=patch", "?select=/posts"] {
                streams.append(try await session.events(query, as: "bob"))
                streams.append(try await session.events(query, as: "bob"))
            }
            streams.append(try await session.events(as: "carol"))
            for stream in streams { _ = try await stream.state() }
            let before = club.asked
            _ = try await session.post(as: "ada")
            for stream in streams { _ = try await stream.event() }
            let after = club.asked
            for user: ActorID in ["bob", "carol"] { #expect(after[user] == (before[user] ?? 0) + 1) }
            // A batch is one event, and one question.
            _ = try await session.post([ClubSession.post, ClubSession.post], as: "ada")
            for stream in streams { _ = try await stream.event() }
            #expect(club.asked["bob"] == (after["bob"] ?? 0) + 1)
        }
    }

    @Test("ends no stream that began after the right was given again")
    func again() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            let first = try await session.events(as: "bob")
            _ = try await first.state()
            let batch: JSONValue = [ClubSession.grant([], to: "bob"), ClubSession.grant(.read, to: "bob")]
            _ = try await session.post(batch, as: "ada")
            // It shows only what is true after the batch.
            #expect(try await first.state().revision == 3)
            _ = try await session.grant([], to: "bob")
            _ = try await session.grant(.read, to: "bob")
            let second = try await session.events(as: "bob")
            #expect(try await second.state().revision == 5)
            #expect(try await first.event()?.data["reason"] == "revoked")
            _ = try await session.post(as: "ada")
            #expect(try await second.state().revision == 6)
        }
    }

    @Test("lets nobody resume a stream who may not read any more", arguments: ["", "?changes=patch", "?actions=true"])
    func resume(_ query: String) async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            let stream = try await session.events(query, as: "bob")
            let id = try #require(try await stream.state().id)
            _ = try await session.grant([], to: "bob")
            #expect(try await stream.event()?.name == "closed")
            let resumed = try await session.send("GET", "/events" + query, as: "bob", [("Last-Event-ID", id)])
            #expect(resumed.status == 403)
        }
    }

    @Test("shows a slow reader nothing that was committed after its removal", arguments: Place.allCases)
    func slowReader(_ place: Place) async throws {
        try await Self.run(place) {
            $0.streams.bufferBytes = 4096
        } _: { own, other in
            _ = try await own.grant(.read, to: "bob")
            let slow = try await other.events(as: "bob", receiveBuffer: 4096)
            let first = try #require(try await slow.state().revision)
            // Far more than the buffers between server and client hold.
            for round in 0..<400 {
                let fill: JSONValue = ["type": "club/fill", "payload": ["kibibytes": .integer(40 + round % 2)]]
                let answer = try await own.post(fill, as: "ada", query: "?select=count", [("Prefer", "return=minimal")])
                #expect(answer.status == 204)
            }
            let removal = try await own.post(ClubSession.grant([], to: "bob"), as: "ada", query: "?select=count")
            let last = try #require(removal.revision)
            _ = try await own.post(as: "ada", query: "?select=count")
            var revisions = [first]
            var event = try #require(try await slow.event())
            while event.name == "state" {
                revisions.append(try #require(event.revision))
                event = try #require(try await slow.event())
            }
            #expect(event.data["reason"] == "revoked")
            #expect(try #require(revisions.last) < last && revisions.count < 300)
            #expect(try await slow.event() == nil)
        }
    }
}
