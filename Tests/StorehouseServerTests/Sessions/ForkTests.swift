import JSON
import Locks
import Observability
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// Sessions that are created from the state of another.
@Suite struct ForkTests {
    private func fork(_ session: LiveSession, _ body: JSONValue? = nil) async throws -> TestResponse {
        guard let body else { return try await session.server.send(TestRequest("POST", session.path + "/forks")) }
        return try await session.server.post(session.path + "/forks", json: body)
    }

    @Test func aForkStartsFromTheStateOfARevision() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 1...3 { _ = try await session.increment(10) }
            let response = try await fork(session, ["revision": 2])
            #expect(response.status == 201)
            #expect(response.revision == 0)
            #expect(response.taggedRevision == 0)
            #expect(response.at("/state/counter/count") == 20)
            #expect(response[json: "forkedFrom"] == ["revision": 2])
            #expect(response[json: "store"] == "app")
            #expect(response[json: "effects"] == [])
            let path = try #require(response["location"])
            #expect(path != session.path)
            #expect(!response.text.contains(session.path.dropFirst("/sessions/".count)))

            let forked = LiveSession(server: api, path: path)
            #expect(try await forked.read()[json: "forkedFrom"] == ["revision": 2])
            #expect(try await forked.state("/counter/count") == 20)
            #expect(try await forked.increment().at("/state/counter/count") == 21)
            #expect(try await forked.read("/state?revision=0").at("/state/counter/count") == 20)
            #expect(try await forked.read("/actions")[json: "actions"]?.asArray?.count == 1)
            #expect(try await session.state("/counter/count") == 30)
            #expect(try await session.read()[json: "forkedFrom"] == nil)
        }
    }

    /// The journal has an answer, and no commit yet.
    @Test(arguments: [0, nil]) func theInitialStateIsForkedAfterAnActionThatChangedNothing(revision: Int?) async throws
    {
        try await TestAPI.run { api in
            let session = try await api.session()
            let key = [("Idempotency-Key", "\"k\"")]
            #expect(try await session.dispatch("betslip/placeBet", fields: key).status == 409)
            let response = try await fork(session, revision.map { ["revision": .integer($0)] })
            #expect(response.status == 201 && response[json: "forkedFrom"] == ["revision": 0])
        }
    }

    @Test func aForkFromBeforeAMigrationBeginsWithTheMigration() async throws {
        struct Old: Codable, Sendable { var count = 0 }
        struct New: Sendable { var total = 0 }
        let old = StoreDefinition("till", "A till.", Old()) {
            Member("count", \.count)
            Action("add", "Adds one.") { $0.count += 1 }
        }
        let new = StoreDefinition(
            "till", "A till.", New(), migrations: [.from(Old.self) { New(total: $0.count * 100) }]
        ) {
            Member("total", \.total)
            Action("add", "Adds a hundred.") { $0.total += 100 }
        }
        let durable = try DurableServer()
        let path = try await durable.runAPI(kinds: [old.kind]) { api in
            let session = try await api.session("till")
            for _ in 1...3 { _ = try await session.dispatch("till/add") }
            return session.path
        }
        try await durable.runAPI(kinds: [new.kind]) { api in
            let made = try await fork(LiveSession(server: api, path: path), ["revision": 2])
            #expect(made.status == 201)
            #expect(made.revision == 1 && made.taggedRevision == 1)
            #expect(made[json: "state"] == ["total": 200])
            #expect(made[json: "forkedFrom"] == ["revision": 2])
            let forked = LiveSession(server: api, path: try #require(made["location"]))
            let tag = try #require(made["etag"])
            let added = try await forked.dispatch("till/add", fields: [("If-Match", tag)])
            #expect(added.status == 200 && added.revision == 2)
            let types = try await forked.read("/actions")[json: "actions"]?.asArray?.map { $0["type"] }
            #expect(types == ["store/migrated", "till/add"])
        }
    }

    @Test func withoutARevisionTheNewestIsForked() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            _ = try await session.dispatch("tasks/add", ["title": "two"])
            _ = try await session.dispatch("tasks/remove", ["id": 2])
            for body in [nil, [:]] as [JSONValue?] {
                let response = try await fork(session, body)
                #expect(response[json: "forkedFrom"] == ["revision": 3])
                let forked = LiveSession(server: api, path: try #require(response["location"]))
                // The fork does not reuse the id of the removed task, although the visible state does not show it.
                let added = try await forked.dispatch("tasks/add", ["title": "three"])
                #expect(added.at("/state/tasks/ids") == [1, 3])
            }
        }
    }

    @Test func effectsOfTheParentAreInterrupted() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session("animal")
            _ = try await session.dispatch("animal/fetchAnimal")
            await remote.called(times: 1)
            let response = try await fork(session)
            #expect(response.status == 201)
            #expect(response[json: "effects"] == [])
            let forked = LiveSession(server: api, path: try #require(response["location"]))
            #expect(try await forked.state("/animal/isLoading") == false)
            #expect(try await forked.state("/animal/error/code") == "interrupted")
            #expect(try await forked.state("/animal/error/message") == "the call was interrupted")
            // The state of revision 0 was made by no action.
            let log = try await forked.read("/actions").at("/actions/0")
            #expect(log?["type"] == "animal/fetchFailed" && log?["origin"] == "system")
            #expect(log?["cause"] ?? .null == .null)
            #expect(try await session.state("/animal/isLoading") == true)
        }
    }

    @Test func aForkOfAForkNamesItsParent() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 1...5 { _ = try await session.increment() }
            let first = LiveSession(
                server: api, path: try await fork(session, ["revision": 4])["location"] ?? "")
            _ = try await first.increment()
            let second = try await fork(first, ["revision": 0])
            #expect(second.at("/state/counter/count") == 4)
            #expect(second[json: "forkedFrom"] == ["revision": 0])
        }
    }

    @Test func aStreamOfTheOtherHistoryIsNotResumed() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            let events = try await session.events()
            let id = try await events.state().id
            let forked = LiveSession(server: api, path: try await fork(session)["location"] ?? "")
            let again = try await forked.events(fields(id))
            #expect(try await again.state().revision == 0)
        }
    }

    private func fields(_ id: String?) -> [(String, String)] { id.map { [("Last-Event-ID", $0)] } ?? [] }

    @Test(arguments: [
        (#"{"revision":9}"#, 404, "no-such-revision"), (#"{"revision":-1}"#, 422, "invalid-payload"),
        (#"{"revision":"1"}"#, 422, "invalid-payload"), (#"{"revison":1}"#, 422, "invalid-payload"),
        ("[]", 422, "invalid-payload"), ("{", 400, "malformed-json"),
        (#"{"revision":99999999999999999999}"#, 422, "invalid-payload"),
    ])
    func whatCannotBeForkedIsRefused(_ body: String, _ status: Int, _ code: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await api.send(
                TestRequest(
                    "POST", session.path + "/forks", [("Content-Type", "application/json")], body: Array(body.utf8)))
            #expect(response.status == status)
            #expect(response.code == code)
        }
    }

    @Test func unknownSessionsCannotBeForked() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.delete()
            #expect(try await fork(session).status == 410)
            #expect(try await api.send(TestRequest("POST", "/sessions/AAAAAAAAAAAAAAAAAAAAAA/forks")).status == 404)
            let wrong = try await api.get(session.path + "/forks")
            #expect(wrong.status == 405)
            #expect(wrong["allow"] == "POST, OPTIONS")
        }
    }

    /// A name that counts how often one is decoded.
    private struct CountedName: Codable, Sendable, Equatable {
        static let decoded = Locked(0)
        var text = "ada"

        init() {}

        init(from decoder: any Decoder) throws {
            Self.decoded.withLock { $0 += 1 }
            text = try decoder.singleValueContainer().decode(String.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private struct Club: Sendable, Equatable {
        var name = CountedName()
    }

    @Test func theStateOfAForkIsDecodedOnceAlsoIfItHasMembers() throws {
        let definition = StoreDefinition("club", "A club.", Club()) {
            Member("name", \.name)
            Action("rename", "Gives it another name.") { $0.name.text = "eve" }
            Members { club in [club.name.text] }
        }
        let log = Log(level: .error, format: .text, sink: LogLines())
        let kind = KindRuntime(definition.kind, clock: SessionClock(WallClock()), sealer: nil, log: log)
        let builder = SessionBuilder([kind], defaultStore: "club", nil, streamEpoch: "", log)
        let before = CountedName.decoded.withLock(\.self)
        let fork = Session.Fork(1, StateSnapshot(json: Array(#"{"name":"bob"}"#.utf8)))
        let session = try builder.create(kind, .random(), now: 0, fork: fork)
        #expect(CountedName.decoded.withLock(\.self) == before + 1)
        session.store.inspect { #expect($0.members == ["bob"]) }
    }
}
