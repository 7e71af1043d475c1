import JSON
import Observability
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import Testing

private struct Desk: Sendable, Equatable {
    var notes: [String] = []
    var price = 0
    var secret = 0
}

private let desk = StoreDefinition("desk", "A desk with notes.", Desk()) {
    Member("notes", \.notes)
    Member("price", \.price)
    Member("secret", \.secret)
    Action("note", "Adds a note.", .user("by")) { desk, user in desk.notes.append(user.text) }
    Action("setPrice", "Sets the price.", .integer("cents", 0...1000), audience: .role("cashier")) { $0.price = $1 }
    Action("count", "Counts in secret.") { $0.secret += 1 }
}

/// What the contract says of shares under "Who acts", line by line.
@Suite("The shares of a session", .timeLimit(.minutes(5)))
struct ShareListTests {
    private static let note: JSONValue = ["type": "desk/note"]
    private static let price: JSONValue = ["type": "desk/setPrice", "payload": ["cents": 5]]
    private static let count: JSONValue = ["type": "desk/count"]
    private static let ada: JSONValue = ["id": "17", "name": "Ada", "roles": ["viewer"]]

    private static func run(
        inTokenMode: Bool = false, _ body: (LiveServer) async throws -> Void
    ) async throws {
        let settings: @Sendable (inout Configuration) -> Void = {
            $0.sessions.defaultStore = "desk"
            $0.log.access = .all
            $0.log.format = .json
        }
        try await LiveServer.run(
            kinds: [desk.kind], configuration: inTokenMode ? TestTokens.configuration(settings) : .with(settings), body)
    }

    @Test("have ids, which are not the texts, and stand in a list without their texts, the oldest first")
    func listed() async throws {
        try await Self.run { server in
            let session = try await server.session("desk")
            #expect(try await session.read("/shares").json == ["shares": []])
            let first = try await session.share([
                "may": ["read", "act"], "actions": ["desk/note"], "as": Self.ada, "label": "front desk",
                "select": "/notes", "expiresIn": 60,
            ])
            let second = try await session.share(["may": ["read"]])
            let answer = first.answer.json
            #expect(answer["as"] == Self.ada && answer["label"] == "front desk" && answer["actions"] == ["desk/note"])
            #expect(answer["select"] == "/notes" && answer["may"] == ["read", "act"])
            let list = try await session.read("/shares")
            #expect(list.status == 200 && list["cache-control"] == "no-store")
            let entries = try #require(list.json["shares"]?.asArray)
            #expect(entries.map { $0["id"] } == [answer["id"], second.answer.json["id"]])
            for name in ["may", "select", "actions", "as", "label", "expiresAt"] {
                #expect(entries[0][name] == answer[name], "\(name)")
            }
            #expect(entries[0]["createdAt"] != nil && entries[1].asObject?.names.contains("as") == false)
            for share in [first, second] {
                let id = try #require(share.answer.json["id"]?.asString)
                #expect(!share.text.contains(id) && id.utf8.count == 22)
                #expect(!list.text.contains(share.text) && list.text.contains(id))
                #expect(try await server.get("/shared/\(id)/state").code == "no-such-share")
            }
            #expect(try await server.send(TestRequest("HEAD", session.path + "/shares")).status == 200)
            let other = try await server.session("desk")
            #expect(try await other.read("/shares").json == ["shares": []])
            let fork = try await server.post(session.path + "/forks", json: [:])
            #expect(try await server.get(try #require(fork["location"]) + "/shares").json == ["shares": []])
        }
    }

    @Test("with actions allow no other; 403 forbidden names it, also of a batch, of which nothing is committed")
    func actions() async throws {
        try await Self.run { server in
            let session = try await server.session("desk")
            let share = try await session.share(["may": ["act"], "actions": ["desk/count"], "as": Self.ada])
            #expect(try await share.post(Self.count).revision == 1)
            let refused = try await share.post(Self.note)
            #expect(refused.status == 403 && refused.code == "forbidden" && refused.json["action"] == "desk/note")
            #expect(refused.json["detail"]?.asString?.contains("desk/note") == true && refused.json["index"] == nil)
            let batch = try await share.post([Self.count, Self.count, Self.note, ["type": "desk/setPrice"]])
            #expect(batch.status == 403 && batch.json["action"] == "desk/note" && batch.json["index"] == 2)
            let dry = try await share.post(Self.note, "?dryRun=true")
            #expect(dry.status == 403)
            // A list tells which actions there are; that others exist is told by nothing.
            let unknown = try await share.post(["type": "desk/nothing"])
            #expect(unknown.status == 403 && unknown.code == "forbidden")
            #expect(try await share.post(["typ": "desk/count"]).status == 422)
            #expect(try await session.revision() == 1)
            // The key of a refused action is free.
            let key = [("Idempotency-Key", "\"k\"")]
            #expect(try await share.post(Self.note, "", key).status == 403)
            #expect(try await share.post(Self.count, "", key).revision == 2)
            let long = JSONValue.array(Array(repeating: Self.count, count: 99) + [Self.note])
            #expect(try await share.post(long).json["index"] == 99)
            let list = try await session.read("/actions?refused=true")
            let entry = try #require(list.json["actions"]?[0])
            #expect(entry["status"] == 403 && entry["index"] == 99 && entry["type"] == "desk/note")
            #expect(entry["actor"]?["id"] == "guest:17")
        }
    }

    @Test("with `as` make their holder a guest, whom the state, the log and the access log name")
    func guests() async throws {
        try await Self.run { server in
            let session = try await server.session("desk")
            let guest = try await session.share(["may": ["read", "act"], "as": ["id": "17", "roles": ["cashier"]]])
            #expect(try await guest.post(Self.note).at("/state/notes/0") == "guest:17")
            #expect(try await guest.post(Self.price).status == 200)
            let anonymous = try await session.share(["may": ["act"]])
            #expect(try await anonymous.post(Self.note).code == "identity-required")
            #expect(try await anonymous.post(Self.price).code == "role-required")
            #expect(try await anonymous.post(Self.count).status == 200)
            let log = try await session.read("/actions")
            let actors = try #require(log.json["actions"]?.asArray).map { $0["actor"] }
            let expected: JSONValue = ["kind": "guest", "id": "guest:17", "roles": ["cashier"]]
            #expect(actors == [expected, expected, ["kind": "anonymous", "roles": []]])
            let lines = try server.log.accessLines().map { $0["actor"] }
            #expect(lines.filter { $0 == .string(Fingerprint.of("guest:17")) }.count == 2)
        }
    }

    @Test(
        "as has an id of 1 to 64 characters without controls, and a name of at most 256 bytes; a label has at most 100")
    func limits() async throws {
        try await Self.run { server in
            let session = try await server.session("desk")
            func status(_ body: JSONValue) async throws -> Int {
                try await server.post(session.path + "/shares", json: body).status
            }
            let family = "\u{1F469}\u{200D}\u{1F467}"
            for id in ["1", String(repeating: "\u{e9}", count: 64), "user:x", "guest:", family] {
                #expect(try await status(["as": ["id": .string(id)]]) == 201, "\(id)")
            }
            for id in ["", String(repeating: "a", count: 65), "a\nb", "\u{0}", "\u{7f}", "a\u{9b}"] {
                #expect(try await status(["as": ["id": .string(id)]]) == 422, "\(id)")
            }
            for holder: JSONValue in [
                [:], ["id": 1], ["id": "a", "roles": "b"], ["id": "a", "roles": [""]], ["id": "a", "kind": "user"],
                ["id": "a", "roles": .array((0..<33).map { .string("\($0)") })],
                ["id": "a", "roles": [.string(String(repeating: "r", count: 65))]],
                ["id": "a", "name": .string(String(repeating: "n", count: 257))], ["id": "a", "name": "\u{202e}x"],
            ] {
                #expect(try await status(["as": holder]) == 422, "\(holder)")
            }
            #expect(try await status(["as": ["id": "a", "name": .string(String(repeating: "n", count: 256))]]) == 201)
            #expect(try await status(["label": .string(String(repeating: "\u{e9}", count: 100))]) == 201)
            #expect(try await status(["label": .string(String(repeating: "a", count: 101))]) == 422)
            for actions: JSONValue in [[], ["desk/nothing"], [1], "desk/note", ["desk/note", "Desk/note"]] {
                #expect(try await status(["actions": actions]) == 422, "\(actions)")
            }
        }
    }

    @Test(
        "have no text that could pass for another one, or for another line",
        arguments: ["\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}", "\n", "\u{1b}", "\u{9b}", "\u{2028}"])
    func plainTexts(_ control: String) async throws {
        try await Self.run { server in
            let session = try await server.session("desk")
            let text = JSONValue.string("a" + control + "b")
            for (body, pointer) in [
                (["as": ["id": text]], "/as/id"), (["as": ["id": "a", "name": text]], "/as/name"),
                (["as": ["id": "a", "roles": ["viewer", text]]], "/as/roles/1"), (["label": text], "/label"),
            ] as [(JSONValue, String)] {
                let answer = try await server.post(session.path + "/shares", json: body)
                #expect(answer.status == 422 && answer.code == "invalid-payload", "\(body)")
                #expect(answer.json["errors"]?.asArray?.map { $0["pointer"] } == [.string(pointer)], "\(body)")
            }
            #expect(try await server.get(session.path + "/shares").json["shares"] == [])
        }
    }

    @Test("have only roles that their maker has; the owner of a session in capability mode has any")
    func roles() async throws {
        try await Self.run(inTokenMode: true) { server in
            let path = try await server.sessionPath(of: "ada", store: "desk")
            func share(_ roles: JSONValue, of maker: JSONValue?) async throws -> TestResponse {
                try await server.send(
                    "POST", path + "/shares", as: "ada", maker, ["may": ["act"], "as": ["id": "1", "roles": roles]])
            }
            let cashier: JSONValue = ["roles": ["cashier", "viewer"]]
            #expect(try await share([], of: nil).status == 201)
            let refused = try await share(["cashier"], of: nil)
            #expect(refused.status == 403 && refused.code == "forbidden")
            #expect(refused.json["detail"]?.asString?.contains("cashier") == true)
            #expect(try await share(["cashier", "boss"], of: cashier).status == 403)
            #expect(try await share(["Cashier"], of: cashier).status == 403)
            let made = try TestShare(try await share(["cashier"], of: cashier), of: server)
            #expect(try await made.post(Self.price).status == 200)
            #expect(try await server.send("GET", path + "/shares", as: "ada").json["shares"]?.asArray?.count == 2)
            #expect(try await server.send("GET", path + "/shares", as: "ada", ["may": ["read"]]).status == 403)
            #expect(try await server.send("GET", path + "/shares", as: "bob").status == 403)
            let id = try #require(made.answer.json["id"]?.asString)
            #expect(try await server.send("DELETE", path + "/shares/" + id, as: "bob").status == 403)
            #expect(try await server.send("DELETE", path + "/shares/" + id, as: "ada", ["may": ["act"]]).status == 403)
            #expect(try await server.send("DELETE", path + "/shares/" + id, as: "ada").status == 204)
            #expect(try await made.post(Self.price).code == "no-such-share")
            let mine = try await server.send("POST", "/sessions/me/shares?store=desk", as: "ada", nil, [:])
            let list = try await server.send("GET", "/sessions/me/shares?store=desk", as: "ada")
            let own = try #require(mine.json["id"]?.asString)
            #expect(list.json["shares"]?.asArray?.map { $0["id"] } == [.string(own)])
            let revocation = "/sessions/me/shares/\(own)?store=desk"
            #expect(try await server.send("DELETE", revocation, as: "ada").status == 204)
            #expect(try await server.send("DELETE", revocation, as: "ada").status == 404)
        }
    }

    @Test("are revoked one by one, at once, with their streams", arguments: [false, true])
    func singleRevocation(isDurable: Bool) async throws {
        let body = { (api: TestAPI) async throws -> Void in
            let session = try await api.session()
            let (revoked, other) = (try await session.counterShare(), try await session.counterShare())
            let streams = [try await revoked.events(), try await other.events()]
            for stream in streams { _ = try await stream.state() }
            let id = try #require(revoked.answer.json["id"]?.asString)
            #expect(try await api.delete(session.path + "/shares/" + id).status == 204)
            for response in try await revoked.everything() {
                #expect(response.status == 404 && (response.code == "no-such-share" || response.body.isEmpty))
            }
            #expect(try await streams[0].event()?.data == ["reason": "revoked"])
            #expect(try await streams[0].item() == nil)
            #expect(try await session.increment().status == 200)
            #expect(try await streams[1].state().revision == 1)
            #expect(try await other.post(["type": "counter/increment"]).revision == 2)
            let again = try await api.delete(session.path + "/shares/" + id)
            #expect(again.status == 404 && again.code == "no-such-share")
            let foreign = try await api.session()
            let otherID = try #require(other.answer.json["id"]?.asString)
            #expect(try await api.delete(foreign.path + "/shares/" + otherID).code == "no-such-share")
            for wrong in [other.text, "x", otherID + "x"] {
                #expect(try await api.delete(session.path + "/shares/" + wrong).code == "no-such-share")
            }
            #expect(try await api.get(session.path + "/shares/" + otherID).status == 405)
            #expect(try await api.delete(session.path + "/shares/").status == 404)
            #expect(try await api.delete(session.path + "/shares/" + otherID + "/x").status == 404)
            #expect(try await other.state().status == 200)
            let list = try await api.get(session.path + "/shares")
            #expect(list.json["shares"]?.asArray?.map { $0["id"] } == [.string(otherID)])
        }
        if isDurable { try await DurableServer().runAPI(body) } else { try await TestAPI.run(body) }
    }

    @Test("are at most sessions.maxShares: 429 too-many-shares with a Retry-After that is true")
    func tooMany() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock, configuration: .with { $0.sessions.maxPermits = 3 }) { api in
            let session = try await api.session()
            func make(_ lifetime: Int) async throws -> TestResponse {
                try await api.post(session.path + "/shares", json: ["expiresIn": .integer(lifetime)])
            }
            for lifetime in [50, 100, 200] { #expect(try await make(lifetime).status == 201) }
            clock.advance(by: 20_500)
            let refused = try await make(100)
            #expect(refused.status == 429 && refused.code == "too-many-shares" && refused["retry-after"] == "30")
            clock.advance(by: 29_000)
            #expect(try await make(100)["retry-after"] == "1")
            clock.advance(by: 1000)
            #expect(try await session.read("/shares").json["shares"]?.asArray?.count == 2)
            #expect(try await make(100).status == 201)
            #expect(try await make(100).status == 429)
            let id = try #require(try await session.read("/shares").json["shares"]?[0]?["id"]?.asString)
            #expect(try await api.delete(session.path + "/shares/" + id).status == 204)
            #expect(try await make(100).status == 201)
            #expect(try await api.delete(session.path + "/shares").status == 204)
            for _ in 0..<3 { #expect(try await make(100).status == 201) }
            #expect(try await api.session().share().answer.status == 201)
        }
    }

    @Test(
        "survive restarts and hibernation with all their terms, and stay revoked one by one", arguments: [false, true])
    func outliveProcess(isOnRedis: Bool) async throws {
        let file = try DurableServer(onRedis: isOnRedis)
        let configuration = Configuration.with { $0.sessions.maxResident = 1 }
        let action: JSONValue = ["type": "counter/increment"]
        let (path, valid, revoked) = try await file.runAPI(configuration: configuration) { api in
            let session = try await api.session()
            let revoked = try await session.counterShare()
            let valid = try await session.share([
                "may": ["read", "act"], "actions": ["counter/increment"], "as": Self.ada, "label": "caf\u{e9}",
                "select": "/counter",
            ])
            #expect(try await valid.post(action).revision == 1)
            let id = try #require(revoked.answer.json["id"]?.asString)
            #expect(try await api.delete(session.path + "/shares/" + id).status == 204)
            return (session.path, valid, revoked.path)
        }
        for _ in 0..<2 {
            try await file.runAPI(configuration: configuration) { api in
                #expect(try await api.get(revoked + "/state").code == "no-such-share")
                #expect(try await api.get(valid.path + "/state").at("/state/count") != nil)
                let refused = try await api.post(valid.path + "/actions", json: ["type": "counter/decrement"])
                #expect(refused.status == 403)
                #expect(try await api.post(valid.path + "/actions", json: action).status == 200)
                for _ in 0..<3 { _ = try await api.session().increment() }
                try await api.hibernates(to: 1)
                let list = try #require(try await api.get(path + "/shares").json["shares"]?.asArray)
                #expect(list.count == 1 && list[0]["as"] == Self.ada && list[0]["label"] == "caf\u{e9}")
                #expect(list[0]["id"] == valid.answer.json["id"])
                let log = try await api.get(path + "/actions")
                let actors = try #require(log.json["actions"]?.asArray).map { $0["actor"]?["id"] }
                #expect(actors.allSatisfy { $0 == "guest:17" })
            }
        }
    }

    @Test("through another node are made, used, listed and revoked as at the owner")
    func severalNodes() async throws {
        try await TestCluster.run { cluster in
            let session = try await cluster.second.session()
            let path = session.path
            for node in [cluster.first, cluster.second] {
                let other = node.port == cluster.first.port ? cluster.second : cluster.first
                let made = try await node.post(
                    path + "/shares", json: ["may": ["read", "act"], "as": Self.ada, "actions": ["counter/increment"]])
                let share = try TestShare(made, of: other)
                #expect(try await share.post(["type": "counter/increment"]).status == 200)
                #expect(try await share.post(["type": "counter/decrement"]).json["action"] == "counter/decrement")
                let stream = try await share.events()
                _ = try await stream.state()
                let id = try #require(made.json["id"]?.asString)
                #expect(
                    try await other.get(path + "/shares").json["shares"]?.asArray?.map { $0["id"] } == [.string(id)])
                #expect(try await other.delete(path + "/shares/" + id).status == 204)
                #expect(try await stream.event()?.data == ["reason": "revoked"])
                let unknown = try await other.get("/shared/unknown/state")
                for answer in [try await TestShare(made, of: node).state(), try await share.state()] {
                    #expect(answer.status == 404 && answer.textWithoutRequestID == unknown.textWithoutRequestID)
                    // No node tells that another one has the session.
                    #expect(answer.fields.map(\.name) == unknown.fields.map(\.name))
                }
                #expect(try await node.delete(path + "/shares/" + id).code == "no-such-share")
            }
        }
    }

    @Test("without `as` count as actors of their own for keys; two with the same guest are one")
    func keys() async throws {
        try await Self.run { server in
            let session = try await server.session("desk")
            let key = [("Idempotency-Key", "\"k\"")]
            let guests = [
                try await session.share(["may": ["act"], "as": Self.ada]),
                try await session.share(["may": ["act"], "as": ["id": "17"]]),
            ]
            let others = [
                try await session.share(["may": ["act"]]), try await session.share(["may": ["act"]]),
                try await session.share(["may": ["act"], "as": ["id": "18"]]),
            ]
            #expect(try await guests[0].post(Self.count, "", key).revision == 1)
            for (index, share) in others.enumerated() {
                let first = try await share.post(Self.count, "", key)
                #expect(first.revision == index + 2 && first["idempotency-replayed"] == nil)
                #expect(try await share.post(Self.count, "", key)["idempotency-replayed"] == "true")
            }
            let repeated = try await guests[1].post(Self.count, "", key)
            #expect(repeated.revision == 1 && repeated["idempotency-replayed"] == "true")
            #expect(try await session.post(Self.count, key).revision == 5)
            // The answer to the first request shows more than this one may see.
            let narrow = try await session.share(["may": ["act"], "as": Self.ada, "select": "/price"])
            let answer = try await narrow.post(Self.count, "", key)
            #expect(answer.revision == 6 && answer.json["state"] == 0)
        }
    }

    @Test("have the session's revisions, entity tags and event ids, and send an event only when their part has changed")
    func revisions() async throws {
        try await Self.run { server in
            let session = try await server.session("desk")
            let share = try await session.share(["may": ["read", "act"], "select": "/notes", "as": Self.ada])
            let (stream, own) = (try await share.events(), try await session.events())
            #expect(try await stream.state().id == (try await own.state().id))
            for _ in 0..<3 { #expect(try await session.post(Self.count).status == 200) }
            let answer = try await share.post(Self.note)
            #expect(answer.revision == 4 && answer.json["state"] == ["guest:17"])
            let event = try await stream.state()
            #expect(event.data == ["revision": 4, "state": ["guest:17"]])
            #expect(event.id == (try await own.states(upTo: 4)).last?.id)
            #expect(try await share.state()["etag"] == (try await session.read("/state"))["etag"])
            for query in ["effects=true", "actions=true", "revision=1"] {
                let refused = try await server.get(share.path + "/events?" + query)
                #expect(refused.status == 400 && refused.code == "malformed-request", "\(query)")
            }
        }
    }
}
