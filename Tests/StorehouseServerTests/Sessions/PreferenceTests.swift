import JSON
import RemoteServices
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// Prefer on actions: a smaller answer, or one that waits for the effects.
@Suite struct PreferenceTests {
    @Test func minimalAnswersWithTheRevisionAlone() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/increment", fields: [("Prefer", "return=minimal")])
            #expect(response.status == 204)
            #expect(response.taggedRevision == 1)
            #expect(response["preference-applied"] == "return=minimal")
            let refused = try await session.dispatch("betslip/placeBet", fields: [("Prefer", "return=minimal")])
            #expect(refused.code == "action-rejected")
        }
    }

    @Test(arguments: ["", "?dryRun=true"])
    func aMinimalAnswerTellsWhetherTheActionWasIgnored(_ query: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let minimal = ("Prefer", "return=minimal")
            for (type, outcome) in [("animal/ackError", "ignored"), ("animal/fetchAnimal", nil)] {
                let answer = try await session.dispatch(type, query: query, fields: [minimal])
                #expect(answer.status == 204 && answer["storehouse-outcome"] == outcome)
            }
            let batch: JSONValue = [["type": "animal/ackError"], ["type": "counter/increment"]]
            let answer = try await api.send(
                TestRequest("POST", session.path + "/actions" + query, [minimal], json: batch))
            #expect(answer.status == 204 && answer["storehouse-outcome"] == nil)
            // A body tells it.
            let ignored = try await session.dispatch("login/ackError", query: query)
            #expect(ignored[json: "outcome"] == "ignored" && ignored["storehouse-outcome"] == nil)
        }
    }

    @Test(arguments: ["return=everything", "respond-async", "", ";;", "wait=x"])
    func unknownPreferencesAreIgnored(_ preference: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/increment", fields: [("Prefer", preference)])
            #expect(response.status == 200)
            #expect(response["preference-applied"] == nil)
        }
    }

    @Test(arguments: ["app", "animal"])
    func waitingHoldsTheAnswerUntilTheEffectHasSettled(_ store: String) async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session(store)
            async let answer = session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            await remote.called(times: 1)
            #expect(try await session.state("/animal/isLoading") == true)
            remote.reply(#"{"animal":"Cat"}"#)
            let response = try await answer
            #expect(response.status == 200)
            #expect(response.revision == 2)
            #expect(response.taggedRevision == 2)
            #expect(response["preference-applied"] == "wait=3600")
            #expect(response.at("/state/animal/currentAnimal") == "Cat")
            #expect(response[json: "effects"] == ["animal.fetch"])
            #expect(response[json: "outcome"] == "committed")
            #expect(response[json: "settled"] == true)
        }
    }

    @Test(arguments: ["app", "login"])
    func waitingWorksForSigningInToo(_ store: String) async throws {
        let remote = ScriptedRemoteClient(always: .success(.init(status: 401)))
        try await TestAPI.run(auth: remote) { api in
            let session = try await api.session(store)
            _ = try await session.dispatch("login/enteringCredential", ["username": "some username"])
            _ = try await session.dispatch("login/enteringCredential", ["password": "some password"])
            let response = try await session.dispatch(
                "login/authenticate", fields: [("Prefer", "wait=3600, return=minimal")])
            #expect(response.status == 204)
            #expect(response.taggedRevision == 4)
            #expect(response["preference-applied"] == "return=minimal, wait=3600")
            #expect(try await session.state("/login/error/code") == "invalidCredentials")
        }
    }

    @Test func waitingEndsWhenTheEffectIsCancelled() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            async let answer = session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            await remote.called(times: 1)
            _ = try await session.dispatch("animal/cancelFetch")
            let response = try await answer
            #expect(response.revision == 2)
            #expect(response.at("/state/animal/isLoading") == false)
        }
    }

    @Test func waitingForAFetchEndsWhenANewerOneReplacesIt() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            async let answer = session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            await remote.called(times: 1)
            _ = try await session.dispatch("animal/fetchAnimal")
            #expect(try await answer.revision == 2)
        }
    }

    @Test func waitingEndsWithTheSession() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(animal: remote) { api in
            let session = try await api.session()
            async let answer = session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")])
            await remote.called(times: 1)
            _ = try await session.delete()
            // The action was committed; what its effect would have brought never comes.
            #expect(try await answer.revision == 1)
        }
    }

    @Test func theServerCapsTheWait() async throws {
        try await TestAPI.run(configuration: .with { $0.http.maxWait = .seconds(1) }) { api in
            let session = try await api.session()
            let response = try await session.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=86400")])
            #expect(response.status == 200)
            #expect(response["preference-applied"] == "wait=1")
            #expect(response[json: "settled"] == false)
            #expect(response.revision == 1)
            #expect(response.at("/state/animal/isLoading") == true)
        }
    }

    /// An action that a middleware sends may have ended all that it started before anybody can wait for it.
    @Test func theAnswerContainsFollowingActionsThatHaveEnded() async throws {
        try await TestAPI.run(kinds: [.relay(ScriptedRemoteClient())]) { api in
            let session = try await api.session("relay")
            let response = try await session.dispatch("relay/echo", fields: [("Prefer", "wait=3600")])
            #expect(response.revision == 2)
            #expect(response.at("/state/texts/0") == "echo")
            #expect(response[json: "settled"] == true)
        }
    }

    @Test(arguments: ["wait=0", "wait=99999999999999999999999"])
    func withoutEffectsTheAnswerComesAtOnce(_ preference: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.dispatch("counter/increment", fields: [("Prefer", preference)])
            #expect(response.revision == 1)
            #expect(response.at("/state/counter/count") == 1)
            #expect(response["preference-applied"]?.hasPrefix("wait=") == true)
            #expect(response[json: "settled"] == true)
        }
    }

    @Test func onlyAClientThatWaitsLearnsWhetherEffectsHaveSettled() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let wait = ("Prefer", "wait=1")
            #expect(try await session.increment()[json: "settled"] == nil)
            let dry = try await session.dispatch("counter/increment", query: "?dryRun=true", fields: [wait])
            #expect(dry[json: "settled"] == nil)
            #expect(try await session.dispatch("animal/ackError", fields: [wait])[json: "settled"] == true)
            // An answer that is held back until the effects end does not change because another client waits too.
            #expect(try await session.dispatch("animal/fetchAnimal")[json: "settled"] == nil)
        }
    }

    /// The repeat of a request gets what the first one got.
    @Test func aReplayTellsAsMuchAsTheFirstAnswer() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for (key, type, isSettled) in [("a", "animal/fetchAnimal", false), ("b", "counter/increment", true)] {
                let fields = [("Prefer", "wait=1"), ("Idempotency-Key", "\"\(key)\"")]
                let first = try await session.dispatch(type, fields: fields)
                let again = try await session.dispatch(type, fields: fields)
                #expect(first[json: "settled"] == .bool(isSettled))
                #expect(again["idempotency-replayed"] == "true" && again.text == first.text)
            }
        }
    }
}
