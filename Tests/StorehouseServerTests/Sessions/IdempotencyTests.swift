import JSON
import RemoteServices
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// Idempotency-Key: an action that is sent again is committed once.
@Suite struct IdempotencyTests {
    private func key(_ text: String) -> [(String, String)] { [("Idempotency-Key", text)] }

    @Test(arguments: ["app", "login"])
    func aRepeatGetsTheFirstAnswer(_ store: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session(store)
            let request = session.request(
                "login/enteringCredential", ["username": "some username"], fields: key("\"a\""))
            let first = try await api.send(request)
            #expect(first.status == 200)
            #expect(first["idempotency-replayed"] == nil)
            _ = try await session.dispatch("login/enteringCredential", ["username": "other"])
            let again = try await api.send(request)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.status == 200)
            #expect(again.body == first.body)
            for name in ["etag", "content-type", "x-content-type-options"] { #expect(again[name] == first[name]) }
            #expect(try await session.revision() == 2)
        }
    }

    @Test func rejectedIgnoredAndBatchesAreRepeatedToo() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let rejected = session.request("betslip/placeBet", fields: key("\"r\""))
            #expect(try await api.send(rejected).code == "action-rejected")
            let ignored = session.request("animal/ackError", fields: key("\"i\""))
            #expect(try await api.send(ignored)[json: "outcome"] == "ignored")
            let batch: JSONValue = [["type": "counter/increment"], ["type": "counter/increment"]]
            #expect(try await session.post(batch, key("\"b\"")).revision == 2)

            let second = try await api.send(rejected)
            #expect(second.code == "action-rejected")
            #expect(second[json: "reason"] == "empty-betslip")
            #expect(second["idempotency-replayed"] == "true")
            #expect(try await api.send(ignored)["idempotency-replayed"] == "true")
            let third = try await session.post(batch, key("\"b\""))
            #expect(third.revision == 2)
            #expect(third["idempotency-replayed"] == "true")
            #expect(try await session.revision() == 2)
        }
    }

    /// A share puts its name in front of the keys of its clients.
    @Test(arguments: ["wait=1", "return=representation"])
    func theLongestKeyWorksThroughAShare(_ preference: String) async throws {
        let durable = try DurableServer()
        let longest = key("\"\(String(repeating: "k", count: 255))\"") + [("Prefer", preference)]
        let text = try await durable.runAPI(animal: ScriptedRemoteClient(always: .success(.init(status: 500)))) { api in
            let share = try await api.session().share()
            let first = try await share.post(["type": "animal/fetchAnimal"], "", longest)
            #expect(first.status == 200 && first["idempotency-replayed"] == nil)
            let again = try await share.post(["type": "animal/fetchAnimal"], "", longest)
            #expect(again.status == 200 && again["idempotency-replayed"] == "true")
            return share.answer
        }
        try await durable.runAPI { api in
            let again = try await TestShare(text, of: api).post(["type": "animal/fetchAnimal"], "", longest)
            #expect(again.status == 200 && again["idempotency-replayed"] == "true")
        }
    }

    @Test func aClientThatWaitsAndLeavesLeavesItsAnswerToTheRepeat() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            let request = session.request("animal/fetchAnimal", fields: key("\"w\"") + [("Prefer", "wait=3600")])
            do {
                let client = try api.client()
                try await client.send(request.bytes)
                await remote.called(times: 1)
                try await client.makeReset()
            }
            var again = try await api.send(request)
            while again.status == 409 { again = try await api.send(request) }
            #expect(again["idempotency-replayed"] == "true")
            #expect(again[json: "settled"] == false)
            #expect(again.revision == 1)
        }
    }

    @Test func otherRefusalsAreNotRepeated() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let stale = session.request("counter/increment", fields: key("\"k\"") + [("If-Match", "\"7\"")])
            #expect(try await api.send(stale).code == "revision-mismatch")
            let fresh = try await api.send(session.request("counter/increment", fields: key("\"k\"")))
            #expect(fresh.status == 200)
            #expect(fresh["idempotency-replayed"] == nil)
            let unknown = session.request("counter/imcrement", fields: key("\"u\""))
            for _ in 1...2 {
                let response = try await api.send(unknown)
                #expect(response.code == "unknown-action")
                #expect(response["idempotency-replayed"] == nil)
            }
        }
    }

    /// The key is free for the request without the fault.
    @Test(arguments: ["/state~", "unknown"])
    func aFaultOfTheRequestUsesUpNoKey(_ selection: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let increment: JSONValue = ["type": "counter/increment"]
            func post(_ query: String) async throws -> TestResponse {
                try await api.send(
                    TestRequest("POST", session.path + "/actions" + query, key("\"k\""), json: increment))
            }
            #expect(try await post("?select=" + selection).code == "malformed-pointer")
            let first = try await post("?select=/counter/count")
            #expect(first.status == 200)
            #expect(first["idempotency-replayed"] == nil)
            #expect(try await post("?select=/counter/count")["idempotency-replayed"] == "true")
            #expect(try await session.revision() == 1)
        }
    }

    @Test func aKeyBelongsToItsBodyAndItsSession() async throws {
        try await TestAPI.run { api in
            let (session, other) = (try await api.session(), try await api.session())
            _ = try await session.dispatch("counter/increment", ["by": 1], fields: key("\"k\""))
            let changed = try await session.dispatch("counter/increment", ["by": 2], fields: key("\"k\""))
            #expect(changed.status == 422)
            #expect(changed.code == "idempotency-mismatch")
            let elsewhere = try await other.dispatch("counter/increment", ["by": 2], fields: key("\"k\""))
            #expect(elsewhere.status == 200)
            #expect(elsewhere["idempotency-replayed"] == nil)
        }
    }

    @Test func aRepeatDuringTheFirstIsAConflict() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            let request = session.request("animal/fetchAnimal", fields: key("\"k\"") + [("Prefer", "wait=3600")])
            async let answer = api.send(request)
            await remote.called(times: 1)
            let early = try await api.send(request)
            #expect(early.status == 409)
            #expect(early.code == "idempotency-conflict")
            #expect(early["retry-after"] == "1")
            remote.reply(#"{"animal":"Cat"}"#)
            let first = try await answer
            #expect(first.at("/state/animal/currentAnimal") == "Cat")
            let again = try await api.send(request)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again["preference-applied"] == "wait=3600")
            #expect(again.body == first.body)
        }
    }

    @Test func aRepeatedRejectionHasTheRevisionOfTheFirst() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let request = session.request("betslip/placeBet", fields: key("\"k\""))
            let first = try await api.send(request)
            _ = try await session.increment()
            let again = try await api.send(request)
            #expect(first.revision == 0 && first.taggedRevision == 0)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.textWithoutRequestID == first.textWithoutRequestID && again["etag"] == first["etag"])
        }
    }

    @Test func minimalAnswersAreRepeatedAsSuch() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let request = session.request("counter/increment", fields: key("\"k\"") + [("Prefer", "return=minimal")])
            for isFirst in [true, false] {
                let response = try await api.send(request)
                #expect(response.status == 204)
                #expect(response.taggedRevision == 1)
                #expect((response["idempotency-replayed"] == nil) == isFirst)
            }
        }
    }

    @Test func aKeyIsForgottenAfterItsTime() async throws {
        let clock = ManualClock()
        try await TestAPI.run(clock: clock.clock) { api in
            let session = try await api.session()
            let request = session.request("counter/increment", fields: key("\"k\""))
            #expect(try await api.send(request).revision == 1)
            clock.advance(by: 599_000)
            #expect(try await api.send(request).revision == 1)
            clock.advance(by: 2000)
            #expect(try await api.send(request).revision == 2)
        }
    }

    @Test(arguments: ["k", "8e03978e-40d5-43e8-bc93-6894a57f9324", "\"a \\\"b\\\" \\\\\"", "\"a,b\""])
    func manySpellingsOfKeysAreTaken(_ key: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let request = session.request("counter/increment", fields: self.key(key))
            #expect(try await api.send(request).revision == 1)
            #expect(try await api.send(request)["idempotency-replayed"] == "true")
        }
    }

    @Test(arguments: [
        "", "\"\"", "\"a", "a b", "a\"", "\"a\\b\"", "a, b", "\"a\";x=1", String(repeating: "k", count: 256),
    ])
    func malformedKeysAreRefused(_ key: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/increment", fields: self.key(key))
            #expect(response.status == 400)
            #expect(response.code == "malformed-request")
            #expect(try await session.revision() == 0)
        }
    }

    @Test func twoKeysAreRefused() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/increment", fields: key("\"a\"") + key("\"b\""))
            #expect(response.code == "malformed-request")
        }
    }

    @Test func aDryRunRecordsNoResponse() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 1...2 {
                let response = try await session.dispatch(
                    "counter/increment", query: "?dryRun=true", fields: key("\"k\""))
                #expect(response[json: "outcome"] == "committed")
                #expect(response["idempotency-replayed"] == nil)
            }
            #expect(try await session.revision() == 0)
        }
    }
}
