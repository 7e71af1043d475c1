import JSON
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// An idempotency key belongs to session and actor: nobody can replay or probe an answer of another actor.
@Suite("An idempotency key", .timeLimit(.minutes(5)))
struct ActorKeyTests {
    private static let key = [("Idempotency-Key", "\"one\"")]

    @Test(
        "is another one for each actor, with the same body and with another",
        arguments: AccessFunctionTests.Place.allCases)
    func actors(_ place: AccessFunctionTests.Place) async throws {
        try await AccessFunctionTests.run(place) { own, other in
            for user in ["bob", "carol"] { _ = try await own.grant([.read, .act], to: user) }
            for (index, user) in ["ada", "bob", "carol"].enumerated() {
                let first = try await other.post(as: user, Self.key)
                #expect(first.revision == 3 + index && first["idempotency-replayed"] == nil)
            }
            for (index, user) in ["ada", "bob", "carol"].enumerated() {
                let again = try await other.post(as: user, Self.key)
                #expect(again.revision == 3 + index && again["idempotency-replayed"] == "true")
                #expect(again.json["state"]?["posts"] == .integer(1 + index))
                let another = try await other.post(ClubSession.leave, as: user, Self.key)
                #expect(another.code == "idempotency-mismatch")
            }
            #expect(try await own.revision() == 5)
            // Others learn nothing from a key that somebody has used.
            _ = try await own.grant([.read, .act], to: "dave")
            #expect(try await other.post(ClubSession.leave, as: "dave", Self.key).status == 204)
        }
    }

    @Test("of a token that lists the session is not the owner's, and a token with more roles has the same as before")
    func tokens() async throws {
        try await AccessFunctionTests.run { session, _ in
            let id = JSONValue.string(String(session.path.dropFirst("/sessions/".count)))
            let actions = session.path + "/actions"
            #expect(try await session.post(as: "ada", Self.key).revision == 1)
            let listed = TestTokens.field(of: "carol", ["sessions": [id]]) + Self.key
            #expect(try await session.server.post(actions, listed, json: ClubSession.post).revision == 2)
            let named = TestTokens.field(
                of: "carol", claims: ["name": "Carol"], ["sessions": [id], "roles": ["chair"]])
            let again = try await session.server.post(actions, named + Self.key, json: ClubSession.post)
            #expect(again.revision == 2 && again["idempotency-replayed"] == "true")
            let share = try TestShare(
                try await session.send("POST", "/shares", as: "ada", json: ["may": ["read", "act"]]), of: session.server
            )
            #expect(try await share.post(ClubSession.post, "", Self.key).revision == 3)
        }
    }

    @Test("shows its answer no more once its actor may not act, and without the state once it may not read")
    func afterRemoval() async throws {
        try await AccessFunctionTests.run { session, _ in
            _ = try await session.grant([.read, .act], to: "bob")
            let first = try await session.post(as: "bob", Self.key)
            #expect(first.revision == 2)
            _ = try await session.grant(.act, to: "bob")
            let blind = try await session.post(as: "bob", Self.key)
            #expect(blind.status == 204 && blind.body.isEmpty && blind["idempotency-replayed"] == "true")
            _ = try await session.grant([], to: "bob")
            let removed = try await session.post(as: "bob", Self.key)
            #expect(removed.code == "forbidden" && removed["idempotency-replayed"] == nil)
            _ = try await session.grant([.read, .act], to: "bob")
            let again = try await session.post(as: "bob", Self.key)
            #expect(again.body == first.body && again["idempotency-replayed"] == "true")
        }
    }

    @Test("repeats the answer to a leave that is sent again", arguments: AccessFunctionTests.Place.allCases)
    func ofLeaving(_ place: AccessFunctionTests.Place) async throws {
        try await AccessFunctionTests.run(place) { own, other in
            _ = try await own.grant([.read, .act], to: "bob")
            let first = try await other.post(ClubSession.leave, as: "bob", Self.key)
            #expect(first.status == 204 && first.taggedRevision == 2 && first["idempotency-replayed"] == nil)
            let used = try await own.server.get("/admin" + own.path, TestTokens.field(TestTokens.admin))
            let again = try await other.post(ClubSession.leave, as: "bob", Self.key)
            #expect(again.status == 204 && again.body.isEmpty && again.taggedRevision == 2)
            #expect(again["idempotency-replayed"] == "true")
            // It is no use of the session.
            let usedAfter = try await own.server.get("/admin" + own.path, TestTokens.field(TestTokens.admin))
            #expect(usedAfter.json["lastActiveAt"] == used.json["lastActiveAt"])
            // Whatever else it sends is answered as that of a stranger, who learns nothing by the same request.
            let stranger = try await other.post(ClubSession.leave, as: "carol", Self.key)
            #expect(stranger.status == 403 && stranger.code == "forbidden")
            let others = [
                try await other.post(ClubSession.post, as: "bob", Self.key),
                try await other.post(ClubSession.leave, as: "bob", [("Idempotency-Key", "\"two\"")]),
                try await other.post(ClubSession.leave, as: "bob", query: "?dryRun=true", Self.key),
                try await other.post(ClubSession.leave, as: "bob"), try await other.post([:], as: "bob", Self.key),
            ]
            for answer in others { #expect(answer.textWithoutRequestID == stranger.textWithoutRequestID) }
            #expect(try await own.revision() == 2)
        }
    }

    @Test("is not used up by a request that the state refuses")
    func refusals() async throws {
        try await AccessFunctionTests.run { session, _ in
            _ = try await session.grant(.read, to: "bob")
            #expect(try await session.post(as: "bob", Self.key).code == "forbidden")
            _ = try await session.grant([.read, .act], to: "bob")
            let batch: JSONValue = [ClubSession.leave, ClubSession.post]
            #expect(try await session.post(batch, as: "bob", Self.key).code == "forbidden")
            let first = try await session.post(as: "bob", Self.key)
            #expect(first.revision == 3 && first["idempotency-replayed"] == nil)
        }
    }

    @Test("of an actor outlives a restart, as the owner's does")
    func restart() async throws {
        let durable = try DurableServer()
        let club = ClubKind()
        let configuration = ClubSession.configuration()
        var path = ""
        try await durable.runAPI(kinds: [club.kind], configuration: configuration) { server in
            let session = try await ClubSession.make(on: server)
            path = session.path
            _ = try await session.grant([.read, .act], to: "bob")
            #expect(try await session.post(as: "ada", Self.key).revision == 2)
            #expect(try await session.post(as: "bob", Self.key).revision == 3)
        }
        try await durable.runAPI(kinds: [club.kind], configuration: configuration) { [path] server in
            let session = ClubSession(server, path)
            for (user, revision) in [("ada", 2), ("bob", 3)] {
                let again = try await session.post(as: user, Self.key)
                #expect(again.revision == revision && again["idempotency-replayed"] == "true")
            }
            #expect(try await session.revision() == 3)
        }
    }

    @Test("is stored under a name of fixed length that does not tell the actor")
    func storedForm() {
        func stored(_ actor: Actor) -> String {
            var key = IdempotencyKey(text: "one")
            key.belongs(to: actor)
            return key.text
        }
        let actors: [Actor] = [
            .user("ada"), .user("Ada"), .guest("ada"), .user(ActorID(String(repeating: "a", count: 200))),
        ]
        #expect(Set(actors.map(stored)).count == actors.count)
        for text in actors.map(stored) {
            #expect(text.utf8.count == 16 + 1 + 3 && text.hasSuffix("\none") && !text.contains("ada"))
        }
        #expect(stored(.user("ada", name: "Ada", roles: ["chair"])) == stored(.user("ada")))
    }
}
