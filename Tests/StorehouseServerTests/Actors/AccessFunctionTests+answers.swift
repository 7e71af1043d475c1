import JSON
import Locks
import StoreHosting
import StorehouseServer
import Stores
import Testing

// Actions and their answers.
extension AccessFunctionTests {
    @Test("answers 204 to an action that takes its actor's right to read", arguments: Place.allCases)
    func ownRemoval(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            _ = try await own.grant([.read, .act], to: "bob")
            let trial = try await other.post(ClubSession.leave, as: "bob", query: "?dryRun=true")
            #expect(trial.status == 204 && trial.body.isEmpty)
            #expect(try await other.send(as: "bob").status == 200)
            let answer = try await other.post(ClubSession.leave, as: "bob")
            #expect(answer.status == 204 && answer.body.isEmpty && answer.taggedRevision == 2)
            #expect(try await other.send(as: "bob").status == 403)
        }
    }

    @Test("is asked for each action of a batch, which is refused whole")
    func batches() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant([.read, .act], to: "bob")
            let batch: JSONValue = [ClubSession.post, ClubSession.leave, ClubSession.post]
            for query in ["", "?dryRun=true"] {
                let refused = try await session.post(batch, as: "bob", query: query)
                #expect(refused.status == 403 && refused.code == "forbidden")
                #expect(refused.json["index"] == 2)
            }
            #expect(try await session.revision() == 1)
            let allowed = try await session.post([ClubSession.post, ClubSession.leave], as: "bob")
            #expect(allowed.status == 204 && allowed.taggedRevision == 3)
            let entering: JSONValue = [
                ClubSession.grant([.read, .act], to: "carol"), ["type": "club/post"],
            ]
            // Whoever may not read learns no more than of a session that there is not.
            let stranger = try await session.post(entering, as: "carol")
            #expect(stranger.status == 403 && stranger.json["index"] == nil)
        }
    }

    @Test("shows no state to an actor who may act and not read, and keeps the rest of the answer")
    func actingBlindly() async throws {
        try await Self.run { session, _ in
            _ = try await session.grant(.act, to: "bob")
            let key = [("Idempotency-Key", "\"one\"")]
            let first = try await session.post(as: "bob", key)
            #expect(first.status == 204 && first.taggedRevision == 2)
            let again = try await session.post(as: "bob", key)
            #expect(again.status == 204 && again.taggedRevision == 2 && again["idempotency-replayed"] == "true")
            #expect(try await session.revision() == 2)
        }
    }

    @Test("answers a request that waits by the rights at its end", arguments: Place.allCases)
    func waiting(_ place: Place) async throws {
        let club = ClubKind()
        try await Self.run(place, club) { own, other in
            _ = try await own.grant([.read, .act], to: "bob")
            let (work, waits): (JSONValue, _) = (["type": "club/work"], [("Prefer", "wait=3600")])
            async let removed = other.post(work, as: "bob", waits)
            try await waitUntil { try await own.revision() == 2 }
            let removal = try #require(try await own.grant([], to: "bob").revision)
            club.work.fulfill(())
            let answer = try await removed
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(answer.taggedRevision.map { $0 < removal } == true)

            let pause = Promise<Void>()
            club.pause.withLock { $0 = pause }
            _ = try await own.grant([.read, .act], to: "carol")
            async let kept = other.post(work, as: "carol", waits)
            try await waitUntil { try await own.revision() == 6 }
            pause.fulfill(())
            let member = try await kept
            #expect(member.status == 200 && member.revision == 7)
        }
    }

    @Test("keeps its promises where a large state is handled on other threads", arguments: Place.allCases)
    func largeStates(_ place: Place) async throws {
        try await Self.run(place) {
            $0.sessions.maxStateBytes = 1 << 24
        } _: { own, other in
            _ = try await own.post(["type": "club/fill", "payload": ["kibibytes": 2048]], as: "ada")
            #expect(try await other.send(as: "bob").status == 403)
            _ = try await own.grant([.read, .act], to: "bob")
            #expect(try await other.send("GET", "/state?select=count", as: "bob").status == 200)
            #expect(try await other.post(as: "bob", query: "?select=count").status == 200)
            let stream = try await other.events("?select=count", as: "bob")
            #expect(try await stream.state().state == 1)
            for below in ["/state", "/actions", "", "/actions?refused=true"] {
                #expect(try await other.send("GET", below, as: "bob").status == 200)
                #expect(try await other.send("GET", below, as: "carol").status == 403)
            }
            _ = try await own.post(ClubSession.grant([], to: "bob"), as: "ada", query: "?select=count")
            #expect(try await stream.event()?.data["reason"] == "revoked")
            for below in ["/state", "/actions", "", "/actions?refused=true"] {
                #expect(try await other.send("GET", below, as: "bob").status == 403)
            }
            #expect(try await other.post(as: "bob", query: "?select=count").status == 403)
        }
    }
}
