import JSON
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// A record belongs to a session and an actor.
@Suite("An outbox of an actor", .timeLimit(.minutes(5))) struct SyncAccessTests {
    private typealias Outbox = TestOutbox

    @Test("is forgotten for any other actor with the id of its client")
    func actors() async throws {
        try await TestAPI.run(configuration: TestTokens.configuration()) { api in
            let path = try await api.sessionPath(of: "ada")
            let session = LiveSession(server: api, path: path)
            let ada = Outbox(session, TestTokens.field(of: "ada"))
            let bob = Outbox(
                session, TestTokens.field(of: "bob", ["sessions": [.string(session.id)], "may": ["read", "act"]]))
            try await ada.begin()
            _ = try await ada.send(from: 1, Outbox.increment)
            #expect(try await bob.send(from: 1, Outbox.increment).code == "client-forgotten")
            let mark = try await bob.begin().json["mark"]
            #expect(try await bob.send(from: 1, Outbox.increment).results == ["1 committed"])
            #expect(try await ada.read(from: 1).json["mark"] != mark)
        }
    }

    @Test("needs the right to act")
    func rights() async throws {
        try await TestAPI.run(configuration: TestTokens.configuration()) { api in
            let path = try await api.sessionPath(of: "ada")
            let reader = Outbox(
                LiveSession(server: api, path: path), TestTokens.field(of: "ada", ["may": ["read"]]))
            let answer = try await reader.post(["client": .string(reader.client), "new": true, "from": 1])
            #expect(answer.status == 403 && answer.code == "forbidden")
        }
    }

    @Test("through a share that names nobody belongs to that share, which shows no effects")
    func shares() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let first = Outbox(try await session.share(["may": ["read", "act"], "actions": ["counter/increment"]]))
            let second = Outbox(try await session.share())
            try await first.begin()
            let answer = try await first.send(from: 1, Outbox.increment, Outbox.entry("counter/decrement"))
            #expect(answer.results == ["1 committed", "2 refused"])
            #expect(answer.at("/results/0/effects") == nil)
            #expect(answer.at("/results/1/problem/code") == "forbidden")
            #expect(answer.at("/results/1/problem/action") == "counter/decrement")
            #expect(!answer.text.contains(session.id))
            for other in [second, Outbox(session)] {
                #expect(try await other.read(from: 1).code == "client-forgotten")
            }
            #expect(try await api.delete(session.path + "/shares").status == 204)
            #expect(try await first.send(from: 3, Outbox.increment).code == "no-such-share")
        }
    }

    @Test("of one guest is the same through each of its shares")
    func guests() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let guest: JSONValue = ["may": ["read", "act"], "as": ["id": "17"]]
            let first = Outbox(try await session.share(guest))
            try await first.begin()
            _ = try await first.send(from: 1, Outbox.increment)
            let second = Outbox(try await session.share(guest))
            #expect(try await second.send(from: 1, Outbox.increment).results == ["1 committed again"])
        }
    }

    @Test("through a share without act is refused")
    func readingShares() async throws {
        try await TestAPI.run { api in
            let share = Outbox(try await api.session().share(["may": ["read"]]))
            let answer = try await share.post(["client": .string(share.client), "new": true, "from": 1])
            #expect(answer.status == 403)
        }
    }

    @Test("ends at the entry from which on the state does not let it act, and is told of those before")
    func visitors() async throws {
        let club = ClubKind()
        try await AccessFunctionTests.run(.memory, club) { own, _ in
            let session = try await ClubSession.make(on: own.server)
            _ = try await session.grant([.read, .act], to: "bob")
            let bob = Outbox(LiveSession(server: own.server, path: session.path), TestTokens.field(of: "bob"))
            try await bob.begin()
            let post = Outbox.entry("club/post")
            let answer = try await bob.send(from: 1, post, Outbox.entry("club/leave"), post)
            #expect(answer.results == ["1 committed", "2 committed"])
            #expect(answer.json["retryAfter"] == nil)
            #expect(try await bob.send(from: 3, post).status == 403)
            #expect(try await bob.read(from: 1).status == 403)
            _ = try await session.grant([.read], to: "bob")
            let reader = try await bob.send(from: 3, post)
            #expect(reader.status == 403 && reader.code == "forbidden")
            _ = try await session.grant([.read, .act], to: "bob")
            #expect(try await bob.send(from: 3, post).results == ["3 committed"])
        }
    }
}
