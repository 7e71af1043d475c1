import JSON
import StoreHosting
import StorehouseServer
import Stores
import Testing

private struct Room: Sendable, Equatable {
    var notes: [Note] = []
    var price = 0
}

private struct Note: Codable, Sendable, Equatable {
    var id: String
    var text: String
    var by: ActorID
    var at: Int
}

private let room = StoreDefinition("room", "A room with notes.", Room()) {
    Member("notes", \.notes)
    Member("price", \.price)
    Action(
        "note", "Adds a note.", .user("by"), .now("at"), .id("id"), .text("text", 1...80, example: "Hello")
    ) { room, user, time, id, text in
        room.notes.append(Note(id: id, text: text, by: user, at: time))
    }
    Action("setPrice", "Sets the price.", .integer("cents", 0...1000), audience: .role("cashier")) { $0.price = $1 }
}

/// Actions with fields that the server fills, and actions of a role, over HTTP.
@Suite("An action that is about its sender", .timeLimit(.minutes(5)))
struct SenderTests {
    private static let note: JSONValue = ["type": "room/note", "payload": ["text": "Hello"]]
    private static let price: JSONValue = ["type": "room/setPrice", "payload": ["cents": 5]]
    private static let cashier: JSONValue = ["roles": ["cashier"]]

    private static func run(inTokenMode: Bool, _ body: (LiveServer) async throws -> Void) async throws {
        let name: @Sendable (inout Configuration) -> Void = { $0.sessions.defaultStore = "room" }
        try await LiveServer.run(
            kinds: [room.kind], configuration: inTokenMode ? TestTokens.configuration(name) : .with(name), body)
    }

    @Test("has the sender, the time and an id in the state, in the log and in a replay")
    func filled() async throws {
        try await Self.run(inTokenMode: true) { server in
            let path = try await server.sessionPath(of: "ada", store: "room")
            let fields = TestTokens.field(of: "ada") + [("Idempotency-Key", "one")]
            let first = try await server.post(path + "/actions", fields, json: Self.note)
            let note = try #require(first.json["state"]?["notes"]?[0])
            #expect(note["by"] == "ada")
            let again = try await server.post(path + "/actions", fields, json: Self.note)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.json["state"] == first.json["state"])
            let log = try await server.get(path + "/actions", TestTokens.field(of: "ada"))
            let payload = try #require(log.json["actions"]?[0]?["payload"])
            for name in ["by", "at", "id", "text"] { #expect(payload[name] == note[name]) }
        }
    }

    @Test("refuses an anonymous sender with 403 in capability mode, and in a batch names the action")
    func anonymous() async throws {
        try await Self.run(inTokenMode: false) { server in
            let path = try #require(try await server.post("/sessions", json: ["store": "room"])["location"])
            let alone = try await server.post(path + "/actions", json: Self.note)
            #expect((alone.status, alone.code) == (403, "identity-required"))
            let role = try await server.post(path + "/actions", json: Self.price)
            #expect((role.status, role.code) == (403, "role-required"))
            #expect(role.json["role"] == "cashier")
            let batch = try await server.post(path + "/actions", json: [Self.note, Self.price])
            #expect((batch.status, batch.code) == (403, "identity-required"))
            #expect(batch.json["index"] == 0)
            #expect(try await server.get(path + "/state").json["revision"] == 0)
        }
    }

    @Test("of a role is for those who have the role by their token")
    func role() async throws {
        try await Self.run(inTokenMode: true) { server in
            let path = try await server.sessionPath(of: "ada", store: "room")
            let grants: [JSONValue?] = [nil, ["roles": ["Cashier", "cashier "]], ["roles": "cashier"]]
            for grant in grants {
                let answer = try await server.send("POST", path + "/actions", as: "ada", grant, Self.price)
                #expect((answer.status, answer.code) == (403, "role-required"))
            }
            let refused = try await server.get(path + "/actions?refused=true", TestTokens.field(of: "ada"))
            let entries = try #require(refused.json["actions"]?.asArray)
            #expect(entries.map { $0["code"] } == Array(repeating: "role-required", count: grants.count))
            #expect(entries.last?["actor"] == ["kind": "user", "id": "ada", "roles": []])
            #expect(entries.first?["payload"] == ["cents": 5])
            let answer = try await server.send("POST", path + "/actions", as: "ada", Self.cashier, Self.price)
            #expect(answer.json["state"]?["price"] == 5)
        }
    }

    @Test("refuses a field that the server fills with 422 at its place", arguments: ["by", "at"])
    func forged(field: String) async throws {
        try await Self.run(inTokenMode: true) { server in
            let path = try await server.sessionPath(of: "ada", store: "room")
            let forged: JSONValue = ["type": "room/note", "payload": ["text": "Hello", field: "bob"]]
            let answer = try await server.send("POST", path + "/actions", as: "ada", nil, forged)
            #expect((answer.status, answer.code) == (422, "invalid-payload"))
            let detail: JSONValue = "is filled by the server; leave it out"
            #expect(answer.json["errors"] == [["pointer": .string("/payload/" + field), "detail": detail]])
        }
    }

    @Test("keeps its sender, its time and its id in a fork that repeats it")
    func repeated() async throws {
        try await Self.run(inTokenMode: true) { server in
            let path = try await server.sessionPath(of: "ada", store: "room")
            let (ada, cashier) = (TestTokens.field(of: "ada"), TestTokens.field(of: "ada", Self.cashier))
            let made = try await server.post(path + "/actions", cashier, json: [Self.note, Self.price])
            #expect(made.status == 200)
            let fork = try await server.post(path + "/forks", ada, json: ["revision": 0, "replay": [:]])
            #expect(fork.json["replay"]?.asArray?.map { $0["outcome"] } == ["committed", "committed"])
            #expect(fork.json["state"] == made.json["state"])
            let copy = try await server.get(try #require(fork["location"]) + "/actions", ada)
            let original = try await server.get(path + "/actions", ada)
            for member in ["actor", "payload"] {
                let values = original.json["actions"]?.asArray?.map { $0[member] }
                #expect(copy.json["actions"]?.asArray?.map { $0[member] } == values)
            }
        }
    }

    @Test("in the place of one in a fork has its time and its id, but is sent by whoever forks")
    func replaced() async throws {
        try await Self.run(inTokenMode: true) { server in
            let path = try await server.sessionPath(of: "ada", store: "room")
            let (ada, cashier) = (TestTokens.field(of: "ada"), TestTokens.field(of: "ada", Self.cashier))
            let made = try await server.post(path + "/actions", cashier, json: [Self.note, Self.price])
            let fork = { (actions: JSONValue) in
                try await server.post(path + "/forks", ada, json: ["revision": 0, "replay": ["replace": actions]])
            }
            let edited = try await fork(["1": ["type": "room/note", "payload": ["text": "Bye"]]])
            var note = try #require(made.json["state"]?["notes"]?[0]?.asObject)
            note["text"] = "Bye"
            #expect(edited.json["state"]?["notes"]?[0] == .object(note))
            // The sender of the first had the role, and whoever forks has not.
            let refused = try await fork(["2": Self.price])
            #expect((refused.status, refused.code) == (403, "role-required"))
            let forged = try await fork(["1": ["type": "room/note", "payload": ["text": "Bye", "at": 5]]])
            #expect(forged.json["errors"]?[0]?["pointer"] == "/replay/replace/1/payload/at")
        }
    }

    @Test("is listed with what the server fills, and described without it")
    func listed() async throws {
        try await Self.run(inTokenMode: false) { server in
            let actions = try #require(try await server.get("/stores").json["stores"]?[0]?["actions"])
            #expect(actions[0]?["filled"] == ["by": "user", "at": "now", "id": "id"])
            #expect(actions[0]?["audience"] == "client")
            #expect(actions[0]?["payload"]?["properties"]?.asObject.map { Array($0.names) } == ["id", "text"])
            #expect(actions[0]?["example"]?["payload"] == ["text": "Hello"])
            #expect(actions[1]?["audience"] == "role:cashier")
            #expect(actions[1]?["filled"] == nil)
        }
    }
}
