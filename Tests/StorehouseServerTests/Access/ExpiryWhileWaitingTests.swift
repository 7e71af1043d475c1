import JSON
import Sessions
import StorehouseServer
import StoresTesting
import Testing

/// A token that expires while its action waits for effects shows nothing that came later.
@Suite struct ExpiryWhileWaitingTests {
    /// The wait ends with the effects, or with the token.
    @Test(arguments: [true, false])
    func theAnswerIsThatOfTheActionItself(settles: Bool) async throws {
        let (remote, wall, steady) = (ScriptedRemoteClient(), ManualClock(WallClock().now()), ManualClock())
        let clock = WallClock(now: { wall.now }, steady: { steady.now })
        try await TestAPI.run(animal: remote, clock: clock, configuration: TestTokens.configuration()) { api in
            let path = try await api.sessionPath(of: "alice")
            // With the leeway of a minute it has an hour, or a second.
            let token = TestTokens.token("alice", expiresIn: settles ? 3540 : -59)
            let action: JSONValue = ["type": "animal/fetchAnimal"]
            let fields = [("Prefer", "wait=3600"), ("Idempotency-Key", "\"k\"")]
            let request = TestRequest("POST", path + "/actions", TestTokens.field(token) + fields, json: action)
            async let answer = api.send(request)
            await remote.called(times: 1)
            // More than an hour: the token was made later than the clock.
            wall.advance(by: 4_000_000)
            let later = TestTokens.token("alice", expiresIn: 86_400)
            let increment: JSONValue = ["type": "counter/increment"]
            let other = TestRequest("POST", path + "/actions", TestTokens.field(later), json: increment)
            #expect(try await api.send(other).revision == 2)
            if settles { remote.reply(#"{"animal":"Cat"}"#) }
            let response = try await answer
            #expect(response.status == 200 && response.revision == 1 && response[json: "settled"] == false)
            #expect(response.at("/state/animal/isLoading") == true && response.at("/state/counter/count") == 0)
            #expect(response.taggedRevision == 1)
            let repeated = TestRequest("POST", path + "/actions", TestTokens.field(later) + fields, json: action)
            let replay = try await api.send(repeated)
            #expect(replay["idempotency-replayed"] == "true" && replay.revision == 1)
            #expect(try await api.send(request).status == 401)
        }
    }
}
