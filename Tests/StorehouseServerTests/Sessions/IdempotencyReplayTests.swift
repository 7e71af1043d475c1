import JSON
import Journal
import Platform
import RemoteServices
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// A repeated request gets the first answer byte for byte, although the server has not stored the state in it.
@Suite struct IdempotencyReplayTests {
    private final class BitFlippingSealer: SecretSealer {
        func seal(_ secret: [UInt8]) -> [UInt8]? { secret.map(~) }
        func open(_ sealed: [UInt8]) -> [UInt8]? { sealed.map(~) }
    }

    private func key(_ text: String) -> (String, String) { ("Idempotency-Key", "\"\(text)\"") }

    private var cat: ScriptedRemoteClient {
        ScriptedRemoteClient(
            always: .success(
                RemoteResponse(
                    status: 200, contentType: "application/json", body: Array(#"{"animal":"Cat"}"#.utf8))))
    }

    /// Requests of all kinds of answers, in the order in which they are sent.
    private func requests(_ session: LiveSession) -> [TestRequest] {
        let add: (String) -> TestRequest = {
            session.request("tasks/add", ["title": .string($0)], fields: [key("add \($0.utf8.count)")])
        }
        return [
            add("first"), add("two \"quoted\" \u{1F600} \u{7f}"), add("the third one"),
            // Patches do not tell the order of the entities, which a move or a removal changes.
            session.request("tasks/remove", ["id": 2], fields: [key("remove")]),
            session.request("tasks/move", ["id": 3, "index": 0], fields: [key("move")]),
            session.request("tasks/edit", ["id": 1, "title": "uno"], fields: [key("edit")]),
            session.request("tasks/add", ["title": "pointer"], query: "?select=/tasks", fields: [key("pointer")]),
            session.request("tasks/add", ["title": "gone"], query: "?select=/no/such/value", fields: [key("null")]),
            session.request(
                "counter/increment", fields: [key("minimal"), ("Prefer", "return=minimal")]),
            session.request(
                "counter/increment", fields: [key("preferred"), ("Prefer", "return=representation")]),
            session.request("animal/ackError", fields: [key("ignored")]),
            session.request("animal/ackError", fields: [key("ignored briefly"), ("Prefer", "return=minimal")]),
            session.request("betslip/placeBet", fields: [key("rejected")]),
            TestRequest(
                "POST", session.path + "/actions", [key("batch")],
                json: [["type": "counter/increment"], ["type": "tasks/add", "payload": ["title": "in a batch"]]]),
            TestRequest(
                "POST", session.path + "/actions", [key("rejected batch")],
                json: [["type": "counter/increment"], ["type": "betslip/placeBet"]]),
            session.request(
                "login/enteringCredential", ["password": "some password"], fields: [key("secret")]),
            session.request("animal/fetchAnimal", fields: [key("waited"), ("Prefer", "wait=3600")]),
            session.request("counter/increment", fields: [key("last")]),
        ]
    }

    private func firstAnswers(_ session: LiveSession) async throws -> [TestResponse] {
        var answers: [TestResponse] = []
        for request in requests(session) {
            let answer = try await session.server.send(request)
            #expect(answer["idempotency-replayed"] == nil)
            answers.append(answer)
        }
        return answers
    }

    private func expectSameAnswers(_ session: LiveSession, _ first: [TestResponse]) async throws {
        for (request, first) in zip(requests(session), first) {
            let again = try await session.server.send(request)
            #expect(again["idempotency-replayed"] == "true", "\(first.text)")
            #expect(again.status == first.status)
            #expect(again.textWithoutRequestID == first.textWithoutRequestID)
            for name in [
                "etag", "content-type", "preference-applied", "x-content-type-options", "cache-control",
                "storehouse-outcome",
            ] {
                #expect(again[name] == first[name])
            }
        }
    }

    @Test func allAnswersAreMadeAgainInMemory() async throws {
        try await TestAPI.run(animal: cat) { api in
            let session = try await api.session()
            let first = try await firstAnswers(session)
            #expect(first.contains { $0.status == 204 } && first.contains { $0.status == 409 })
            try await expectSameAnswers(session, first)
        }
    }

    @Test(arguments: [false, true])
    func allAnswersAreMadeAgainAfterARestart(_ hasSealer: Bool) async throws {
        let durable = try DurableServer()
        let sealer = hasSealer ? BitFlippingSealer() : nil
        let (path, first) = try await durable.runAPI(animal: cat, sealer: sealer) { api in
            let session = try await api.session()
            return (session.path, try await firstAnswers(session))
        }
        try await durable.runAPI(sealer: sealer) { api in
            try await expectSameAnswers(LiveSession(server: api, path: path), first)
        }
    }

    /// Only a part of the record's fingerprint tells the secret, and it is stored.
    @Test(arguments: [false, true])
    func anotherSecretIsAnotherBodyAfterARestart(_ isHibernated: Bool) async throws {
        let durable = try DurableServer()
        let configuration = Configuration.with { $0.sessions.maxResident = 1 }
        let enter: @Sendable (LiveSession, JSONValue) async throws -> TestResponse = { session, password in
            try await session.dispatch("login/enteringCredential", ["password": password], fields: [key("k")])
        }
        let check: @Sendable (TestAPI, String) async throws -> Void = { api, path in
            let session = LiveSession(server: api, path: path)
            let other = try await enter(session, "another password")
            #expect(other.status == 422 && other.code == "idempotency-mismatch")
            #expect(try await enter(session, "some password")["idempotency-replayed"] == "true")
        }
        let path = try await durable.runAPI(configuration: configuration) { api in
            let session = try await api.session()
            #expect(try await enter(session, "some password").status == 200)
            guard isHibernated else { return session.path }
            _ = try await api.session().increment()
            try await api.hibernates(to: 1)
            try await check(api, session.path)
            return session.path
        }
        try await durable.runAPI(configuration: configuration) { api in try await check(api, path) }
    }

    /// Retention deletes no commit that a valid record needs, however many follow.
    @Test(arguments: [false, true])
    func aRecordOutlivesTheRetentionOfCommits(_ isDurable: Bool) async throws {
        let configuration = Configuration.with { $0.storage.keepCommits = 2 }
        let body: @Sendable (TestAPI) async throws -> Void = { api in
            let session = try await api.session()
            _ = try await session.increment()
            let request = session.request("counter/increment", fields: [key("k")])
            let first = try await api.send(request)
            for _ in 0..<400 { _ = try await session.increment() }
            let again = try await api.send(request)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.text == first.text && again["etag"] == first["etag"])
        }
        if isDurable {
            try await DurableServer().runAPI(configuration: configuration, body)
        } else {
            try await TestAPI.run(configuration: configuration, body)
        }
    }

    @Test func tooManyKeysAreRefusedForATrueTime() async throws {
        let clock = ManualClock()
        let configuration = Configuration.with { $0.sessions.maxIdempotencyKeys = 3 }
        try await TestAPI.run(clock: clock.clock, configuration: configuration) { api in
            let session = try await api.session()
            for number in 1...3 {
                #expect(try await session.dispatch("counter/increment", fields: [key("\(number)")]).status == 200)
                clock.advance(by: 5000)
            }
            let refused = try await session.dispatch("counter/increment", fields: [key("4")])
            #expect(refused.status == 429 && refused.code == "too-many-keys")
            let seconds = try #require(refused["retry-after"].flatMap { Int($0) })
            #expect(seconds == 586)
            #expect(refused[json: "detail"]?.asString?.hasSuffix("A new key fits in 586 s.") == true)
            #expect(try await session.revision() == 3)
            // Without a key, and with a known one, the session works.
            #expect(try await session.increment().status == 200)
            let known = try await session.dispatch("counter/increment", fields: [key("1")])
            #expect(known["idempotency-replayed"] == "true")
            clock.advance(by: seconds * 1000)
            #expect(try await session.dispatch("counter/increment", fields: [key("4")]).status == 200)
        }
    }

    /// Earlier releases stored whole responses.
    @Test func aWholeResponseOfAnEarlierReleaseIsReplayed() async throws {
        let durable = try DurableServer()
        let path = try await durable.runAPI { api in
            let session = try await api.session()
            _ = try await session.increment()
            return session.path
        }
        let body = try JSONValue(parsing: Array(#"{"type":"counter/increment"}"#.utf8))
        let text = "200 1\nContent-Type: application/json\n\n{\"revision\":1,\"state\":{}}"
        try await store(
            IdempotencyRecord(
                key: "old", fingerprint: RequestFingerprint([], body, redacted: body).earliest,
                response: Array(text.utf8),
                at: systemTime()), path, durable)
        try await durable.runAPI { api in
            let session = LiveSession(server: api, path: path)
            let answer = try await api.send(session.request("counter/increment", fields: [key("old")]))
            #expect(answer["idempotency-replayed"] == "true" && answer.taggedRevision == 1)
            #expect(answer.text == "{\"revision\":1,\"state\":{}}")
        }
    }

    /// Adds a record to the session of a file that no server uses.
    private func store(_ record: IdempotencyRecord, _ path: String, _ durable: DurableServer) async throws {
        let journal = try await durable.open()
        let id = String(path.split(separator: "/")[1])
        let found = try await journal.load(id)
        guard case .session(let summary, _, _, let session) = found else { throw Wire.Failure.malformed("no session") }
        StoreKind.faulty.makeStore().inspect { state in
            session.append(
                CommitTransaction(baseRevision: summary.revision, record: .answer(record)), state)
        }
        await journal.close()
    }
}
