import JSON
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// A selector may depend on the reader: `?select=hand` gives each reader its own value, and nobody another's.
@Suite("A selector of the actor", .timeLimit(.minutes(10)))
struct ActorSelectorTests {
    /// A server on memory or on SQLite, and both nodes of a cluster: the owner asks one, and the others ask the other.
    enum Place: CaseIterable { case memory, sqlite, twoNodes }

    /// - Parameter body: gets the table as its owner reaches it, and as the others do.
    static func run(
        _ place: Place = .memory, _ change: (inout Configuration) -> Void = { _ in },
        _ body: @Sendable (_ own: CardTable, _ other: CardTable) async throws -> Void
    ) async throws {
        let configuration = CardTable.configuration(change)
        switch place {
        case .memory:
            try await LiveServer.run(kinds: [CardGame.kind], configuration: configuration) { server in
                let table = try await CardTable.make(on: server)
                try await body(table, table)
            }
        case .sqlite:
            try await DurableServer().runAPI(kinds: [CardGame.kind], configuration: configuration) { api in
                let table = try await CardTable.make(on: api)
                try await body(table, table)
            }
        case .twoNodes:
            try await TestCluster.run(kinds: [CardGame.kind], configuration: configuration) { cluster in
                let table = try await CardTable.make(on: cluster.first)
                try await body(table, table.at(cluster.second))
            }
        }
    }

    @Test(
        "shows each reader its own value: now, in the past, and in what its actions answer", arguments: Place.allCases)
    func ownValue(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            try await own.deal("ace", to: "ada")
            try await own.deal("king", to: "bob")
            #expect(try await own.read(as: "ada").json["state"] == ["ace"])
            #expect(try await other.read(as: "bob").json["state"] == ["king"])
            #expect(try await other.read(as: "carol").json["state"] == [])
            #expect(try await other.read("?select=hand&revision=1", as: "bob").json["state"] == [])
            #expect(try await other.read("?select=hand&revision=2", as: "bob").json["state"] == ["king"])
            #expect(try await own.read("?select=hand&revision=1", as: "ada").json["state"] == ["ace"])
            // Nothing else shows the hands.
            #expect(try await other.read("", as: "bob").json["state"] == ["turns": 0, "text": ""])
            #expect(try await other.read("?select=/hands", as: "bob").json["state"] == .null)
            #expect(try await other.read("?select=players", as: "bob").json["state"] == 2)
            // A batch, a dry run, and an answer that waits for an effect.
            let tried = try await other.post(CardGame.deal("two", to: "bob"), "?select=hand&dryRun=true", as: "bob")
            #expect(tried.json["state"] == ["king", "two"] && tried.revision == 2)
            let batch: JSONValue = [CardGame.deal("two", to: "bob"), CardGame.deal("three", to: "ada")]
            #expect(try await other.post(batch, as: "bob").json["state"] == ["king", "two"])
            let waited = try await other.post(["type": "cards/wait"], as: "bob", [("Prefer", "wait=600")])
            #expect(waited.json["state"] == ["king", "two", "late"] && waited.json["settled"] == true)
            #expect(try await own.read(as: "ada").json["state"] == ["ace", "three"])
            // A fork has the hands too.
            let forked = try await other.server.send("POST", other.path + "/forks", as: "bob", nil, [:])
            let fork = CardTable(server: other.server, path: try #require(forked["location"]))
            #expect(try await fork.read(as: "bob").json["state"] == ["king", "two", "late"])
        }
    }

    @Test("sends to each stream what its own reader may see, and only when that changes", arguments: Place.allCases)
    func streams(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            let values = try await own.events(as: "ada")
            let patches = try await other.events("?select=hand&changes=patch", as: "bob")
            let twin = try await other.events("?select=hand&changes=patch", as: "bob")
            #expect(try await values.state().state == [])
            for events in [patches, twin] { #expect(try await events.state().state == []) }
            try await own.deal("king", to: "bob")
            try await own.deal("ace", to: "ada")
            try await own.deal("queen", to: "bob")
            let mine = try await values.state()
            #expect(mine.state == ["ace"] && mine.revision == 2)
            for events in [patches, twin] {
                let first = try #require(try await events.event())
                #expect(first.name == "patch" && first.revision == 1)
                let second = try #require(try await events.event())
                #expect(second.revision == 3)
                #expect(try second.applied(to: first.applied(to: [])) == ["king", "queen"])
            }
            try await own.deal("jack", to: "ada")
            #expect(try await values.state().state == ["ace", "jack"])
        }
    }

    @Test("shows a terminal the changes of its own reader's value")
    func terminal() async throws {
        try await Self.run { table, _ in
            let client = try table.server.client()
            let fields = CardTable.field("bob") + [("Accept", "text/plain")]
            try await client.send(TestRequest("GET", table.path + "/events?select=hand", fields).bytes)
            #expect(try await client.head().status == 200)
            try await table.deal("ace", to: "ada")
            try await table.deal("king", to: "bob")
            var text = ""
            while !text.contains("king"), let chunk = try await client.chunk() {
                text += String(decoding: chunk, as: UTF8.self)
            }
            #expect(text.contains("#2") && !text.contains("ace") && !text.contains("#1 "))
        }
    }

    @Test(
        "resumes a stream for the same reader, and sends the whole value to another reader", arguments: Place.allCases
    )
    func resume(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            try await own.deal("ace", to: "ada")
            try await own.deal("king", to: "bob")
            let first = try await other.events(as: "bob")
            let seen = try #require(try await first.state().id)
            // The stream keeps the view, so the server knows that nothing has changed since.
            let again = try await other.events(as: "bob", [("Last-Event-ID", seen)])
            let stranger = try await other.events(as: "carol", [("Last-Event-ID", seen)])
            let elsewhere = try await other.events("?select=players", as: "bob", [("Last-Event-ID", seen)])
            let promoted = try await other.events(as: "bob", roles: ["dealer"], [("Last-Event-ID", seen)])
            #expect(try await stranger.state().state == [])
            #expect(try await elsewhere.state().state == 2)
            #expect(try await promoted.state().state == ["king"])
            try await own.deal("queen", to: "bob")
            let next = try await again.state()
            #expect(next.state == ["king", "queen"] && next.revision == 3)
            // With patches a missed change is told by the value, since the log has no patches of it.
            let late = try await other.events("?select=hand&changes=patch", as: "bob", [("Last-Event-ID", seen)])
            #expect(try await late.state().state == ["king", "queen"])
        }
    }

    @Test("has an entity tag for each reader, which no other reader's cache matches", arguments: Place.allCases)
    func entityTags(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            try await own.deal("ace", to: "ada")
            let ada = try await own.read(as: "ada")
            let bob = try await other.read(as: "bob")
            let (adaTag, bobTag) = (try #require(ada["etag"]), try #require(bob["etag"]))
            #expect(adaTag != bobTag && ada.taggedRevision == 1 && bob.taggedRevision == 1)
            // One node tells the tags of the other.
            #expect(try await other.read(as: "ada", [("If-None-Match", adaTag)]).status == 304)
            let unchanged = try await own.read(as: "bob", [("If-None-Match", bobTag)])
            #expect(unchanged.status == 304 && unchanged["etag"] == bobTag)
            let mixed = try await other.read(as: "bob", [("If-None-Match", adaTag)])
            #expect(mixed.status == 200 && mixed.json["state"] == [])
            let promoted = try await other.read(as: "bob", roles: ["dealer"], [("If-None-Match", bobTag)])
            #expect(promoted.status == 200)
            // The tag of the whole state says nothing about the hand, and the other way round.
            let whole = try #require(try await own.read("", as: "ada")["etag"])
            #expect(try await own.read("", as: "bob", [("If-None-Match", whole)]).status == 304)
            #expect(try await own.read(as: "ada", [("If-None-Match", whole)]).status == 200)
            #expect(try await own.read("", as: "ada", [("If-None-Match", adaTag)]).status == 200)
            // As a revision each is good for a condition.
            #expect(try await own.read(as: "ada", [("If-Match", whole)]).status == 200)
            #expect(try await other.post(CardGame.turn, as: "bob", [("If-Match", bobTag)]).revision == 2)
            #expect(try await other.post(CardGame.turn, as: "bob", [("If-Match", bobTag)]).status == 412)
            #expect(
                try await own.post(CardGame.turn, as: "ada", [("If-Match", "\"2.zz..\(adaTag.suffix(4))")]).status
                    == 412)
        }
    }

    @Test("is answered to a repeated request with its own value, in one key for each user", arguments: Place.allCases)
    func repeatedRequests(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            try await own.deal("ace", to: "ada")
            try await own.deal("king", to: "bob")
            let key = [("Idempotency-Key", "one")]
            for (user, hand, revision) in [("ada", ["ace"] as JSONValue, 3), ("bob", ["king"], 4), ("carol", [], 5)] {
                let first = try await other.post(CardGame.turn, as: user, key)
                #expect(first.revision == revision && first.json["state"] == hand)
            }
            try await own.deal("queen", to: "bob")
            for (user, hand, revision) in [("ada", ["ace"] as JSONValue, 3), ("bob", ["king"], 4), ("carol", [], 5)] {
                let again = try await other.post(CardGame.turn, as: user, key)
                #expect(again.revision == revision && again["idempotency-replayed"] == "true")
                #expect(again.json["state"] == hand)
            }
        }
    }

    @Test(
        "shows the guest of a share the guest's own value, and others that of an anonymous reader",
        arguments: Place.allCases)
    func shares(_ place: Place) async throws {
        try await Self.run(place) { own, other in
            try await own.deal("ten", to: "guest:17")
            try await own.deal("ace", to: "ada")
            let may: JSONValue = ["read", "act"]
            let guest = try await own.share(["may": may, "as": ["id": "17", "name": "Gil"], "select": "hand"])
            let nobody = try await own.share(["may": may, "select": "hand"])
            let whole = try await own.share(["may": may, "as": ["id": "17", "name": "Gil"]])
            let guestElsewhere = TestShare.at(other.server, guest)
            let first = try await guestElsewhere.state()
            #expect(first.json["state"] == ["ten"])
            #expect(try await guestElsewhere.state("?select=/0").json["state"] == "ten")
            #expect(try await TestShare.at(other.server, nobody).state().json["state"] == [])
            #expect(try await whole.state("?select=hand").json["state"] == ["ten"])
            #expect(try await whole.state("?select=who").at("/state/actor/kind") == "guest")
            let who = try await own.share(["select": "who"])
            #expect(try await who.state().at("/state/actor") == ["kind": "anonymous", "roles": []])
            let events = try await guestElsewhere.events()
            let anonymous = try await nobody.events()
            #expect(try await events.state().state == ["ten"])
            #expect(try await anonymous.state().state == [])
            let answer = try await guestElsewhere.post(CardGame.deal("six", to: "guest:17"))
            #expect(answer.json["state"] == ["ten", "six"])
            #expect(try await events.state().state == ["ten", "six"])
            let tag = try #require(first["etag"])
            #expect(try await nobody.state("", [("If-None-Match", tag)]).status == 200)
            // The streams of a revoked share end.
            #expect(try await own.server.send("DELETE", own.path + "/shares", as: "ada").status == 204)
            for stream in [events, anonymous] { #expect(try await stream.event()?.name == "closed") }
        }
    }

    @Test("shows whoever knows the id of a session the value of an anonymous reader")
    func capability() async throws {
        try await LiveServer.run(kinds: [CardGame.kind], configuration: .with { $0.sessions.defaultStore = "cards" }) {
            server in
            let session = try await server.session("cards")
            #expect(try await session.read("/state?select=hand").json["state"] == [])
            #expect(
                try await session.read("/state?select=who").at("/state") == [
                    "actor": ["kind": "anonymous", "roles": []], "turns": 0,
                ])
            let events = try await session.events(query: "?select=who")
            #expect(try await events.state().state?["turns"] == 0)
            let answer = try await session.dispatch("cards/turn", query: "?select=who")
            #expect(answer.at("/state/actor/kind") == "anonymous")
            #expect(try await events.state().state?["turns"] == 1)
        }
    }

    @Test("tells two users apart whose names differ in their Unicode spelling only")
    func unicodeTwins() async throws {
        try await Self.run { table, _ in
            let (composed, decomposed) = ("ren\u{e9}", "rene\u{301}")
            try await table.deal("ace", to: composed)
            let streams = [try await table.events(as: composed), try await table.events(as: decomposed)]
            #expect(try await streams[0].state().state == ["ace"])
            #expect(try await streams[1].state().state == [])
            #expect(try await table.read(as: composed).json["state"] == ["ace"])
            #expect(try await table.read(as: decomposed).json["state"] == [])
            let tag = try #require(try await table.read(as: composed)["etag"])
            #expect(try await table.read(as: decomposed, [("If-None-Match", tag)]).status == 200)
            try await table.deal("two", to: decomposed)
            #expect(try await streams[1].state().state == ["two"])
            try await table.deal("king", to: composed)
            #expect(try await streams[0].state().state == ["ace", "king"])
        }
    }

    @Test("depends on all that is known of the reader: other roles are another view")
    func roles() async throws {
        try await Self.run { table, _ in
            let plain = try await table.events("?select=who", as: "bob")
            let dealer = try await table.events("?select=who", as: "bob", roles: ["dealer"])
            #expect(try await plain.state().state?["actor"]?["roles"] == [])
            #expect(try await dealer.state().state?["actor"]?["roles"] == ["dealer"])
            _ = try await table.post(CardGame.turn, as: "ada")
            #expect(
                try await plain.state().state == ["actor": ["kind": "user", "id": "bob", "roles": []], "turns": 1])
            #expect(try await dealer.state().state?["actor"]?["roles"] == ["dealer"])
        }
    }

    @Test("shows each reader its own value of a large state too", arguments: [Place.memory, .sqlite])
    func largeState(_ place: Place) async throws {
        let change: (inout Configuration) -> Void = { $0.sessions.maxStateBytes = 1 << 26 }
        try await Self.run(place, change) { own, other in
            let fill: JSONValue = ["type": "cards/fill", "payload": ["kibibytes": 2048]]
            #expect(try await own.post(fill, as: "ada").status == 200)
            // By now the server knows that it is large.
            #expect(try await own.read("?select=/turns", as: "ada").status == 200)
            for user in 0..<8 { try await own.deal("card-\(user)", to: "user-\(user)") }
            // The owner is asked for no right, and neither is a user whose token lists the session.
            let id = JSONValue.string(String(own.path.dropFirst("/sessions/".count)))
            try await withThrowingTaskGroup(of: (Int, JSONValue?).self) { group in
                for user in 0..<8 {
                    group.addTask {
                        (user, try await other.read(as: "user-\(user)").json["state"])
                    }
                    group.addTask {
                        let fields = TestTokens.field(of: "user-\(user)", ["sessions": [id]])
                        return (user, try await own.server.get(own.path + "/state?select=hand", fields).json["state"])
                    }
                }
                for try await (user, hand) in group { #expect(hand == [.string("card-\(user)")]) }
            }
            let events = try await other.events(as: "user-3")
            #expect(try await events.state().state == ["card-3"])
            #expect(
                try await other.post(CardGame.deal("two", to: "user-3"), as: "user-3").json["state"] == [
                    "card-3", "two",
                ])
            #expect(try await events.state().state == ["card-3", "two"])
        }
    }

    @Test("is published as one, in the list of stores and in the description")
    func published() async throws {
        try await Self.run { table, _ in
            let selectors = try await table.server.send("GET", "/stores", as: "ada").at("/stores/0/selectors")
            #expect(
                selectors == [
                    ["name": "hand", "summary": "The cards of the reader.", "dependsOn": "actor"],
                    ["name": "who", "summary": "The reader, and the turns.", "dependsOn": "actor"],
                    ["name": "players", "summary": "How many have cards."],
                ])
            let schema = try await table.server.get("/openapi.json").at("/components/schemas/SelectorDescription")
            #expect(schema?["properties"]?["dependsOn"]?["enum"] == ["actor"])
            #expect(schema?["required"] == ["name", "summary"])
        }
    }
}
