import JSON
import StoreHosting
import Stores
import Testing

/// Actors and their ids as parts of a state: as members, as keys, and in entities.
@Suite("An actor in a state")
struct ActorValueTests {
    /// One letter, as one code point and as `e` with an accent. Swift's texts of the two are equal.
    private static let twins = ("caf\u{e9}", "cafe\u{301}")

    private func text(_ value: some JSONEncodable) -> String { String(decoding: value.encoded(), as: UTF8.self) }

    @Test("is an object without an id and a name where there are none, by its own code as by Codable")
    func encoding() throws {
        let actors: [(Actor, String)] = [
            (
                .user("ada", name: "Ada \"A\"", roles: ["cashier"]),
                #"{"kind":"user","id":"ada","name":"Ada \"A\"","roles":["cashier"]}"#
            ),
            (.guest("guest:17"), #"{"kind":"guest","id":"guest:17","roles":[]}"#),
            (.anonymous, #"{"kind":"anonymous","roles":[]}"#), (.system, #"{"kind":"system","roles":[]}"#),
        ]
        for (actor, json) in actors {
            #expect(text(actor) == json)
            #expect(text(CodableJSON(actor)) == json)
            #expect(Array(json.utf8) == actor.json)
            #expect(Actor(json: actor.json) == actor)
            #expect(JSONSchema(describing: Actor.self).validate(try JSONValue(parsing: json)).isEmpty)
        }
    }

    @Test(
        "is not read from other JSON", arguments: ["", "7", "{}", #"{"kind":"robot"}"#, #"{"kind":"user","roles":7}"#])
    func malformed(json: String) {
        #expect(Actor(json: Array(json.utf8)) == nil)
    }

    @Test("has an id that is a text, by its own code as by Codable")
    func idEncoding() throws {
        let id = ActorID(Self.twins.1)
        #expect(text(id) == "\"\(Self.twins.1)\"" && text(CodableJSON(id)).utf8.elementsEqual(text(id).utf8))
        #expect(text(id).utf8.count == 8)
        #expect(JSONSchema(describing: ActorID.self).validate("x").isEmpty)
    }

    @Test("survives with ids that Swift takes for the same text, as keys of a dictionary and of a table")
    func twinKeys() throws {
        let store = hall.kind.makeStore()
        for (name, votes) in [(Self.twins.0, 1), (Self.twins.1, 2), (Self.twins.0, 4)] {
            #expect(store.dispatch("hall/vote", ["who": .string(name), "votes": .integer(votes)])?.word == "committed")
        }
        let (revision, persisted) = store.snapshot()
        let json = try JSONValue(parsing: persisted.json)
        for (name, votes) in [(Self.twins.0, JSONValue.integer(5)), (Self.twins.1, 2)] {
            #expect(json["votes"]?[name] == votes)
            #expect(json["guests"]?["entities"]?[name]?["name"] == .string(name))
        }
        #expect(json["guests"]?["ids"]?.asArray?.count == 2)
        #expect(json["last"] == .string(Self.twins.0))
        let restored = try hall.kind.makeStore(from: persisted, revision: revision)
        #expect(restored.snapshot().state.json == persisted.json)
        #expect(restored.dispatch("hall/vote", ["who": .string(Self.twins.1), "votes": 1])?.word == "committed")
        #expect(try JSONValue(parsing: restored.snapshot().state.json)["votes"]?[Self.twins.1] == 3)
    }

    @Test("has a schema that every state fits")
    func schema() throws {
        let store = hall.kind.makeStore()
        store.dispatch("hall/vote", ["who": "ada", "votes": 1])
        let state = try JSONValue(parsing: store.snapshot().state.json)
        #expect(hall.kind.stateSchema.validate(state).isEmpty)
    }

    @Test("is recorded with the commits of the actions that it has sent, and with no others")
    func recording() {
        let store = hall.kind.makeStore()
        let ada = Actor.user("ada", name: "Ada")
        let vote: JSONValue = ["type": "hall/vote", "payload": ["who": "ada", "votes": 1]]
        for (body, actor) in [(vote, ada), (.array([vote, vote]), ada), (vote, .anonymous), (vote, nil)] {
            var options = DispatchOptions()
            options.actor = actor
            store.dispatch(body, options) { _ in }
            store.inspect { state in
                for record in state.commits {
                    #expect(record.namedActor == actor)
                    #expect(record.actor(inSessionWithOwner: true) == actor)
                    #expect(record.actor(inSessionWithOwner: false) == actor ?? .anonymous)
                }
            }
        }
    }
}

private struct Guest: StoreValue, Identifiable, Equatable {
    let id: ActorID
    var name: String
}

private struct Hall: Sendable {
    var guests = EntityTable<Guest>()
    var votes: [ActorID: Int] = [:]
    var last = ActorID("")
    var host = Actor.user("host")
}

private let hall = StoreDefinition("hall", "Guests vote.", Hall()) {
    Member("guests", \.guests)
    Member("votes", \.votes)
    Member("last", \.last)
    Member("host", \.host)
    Action("vote", "Votes.", .text("who", 1...80, example: "ada"), .integer("votes", 1...10)) { hall, who, votes in
        let id = ActorID(who)
        hall.guests.upsert(Guest(id: id, name: who))
        hall.votes[id, default: 0] += votes
        hall.last = id
    }
}
