import JSON
import Testing

/// Actions with `?dryRun=true`.
@Suite struct DryRunTests {
    @Test func theResultIsShownAndNothingIsCommitted() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment(4)
            let tried = try await session.dispatch(
                "counter/increment", ["by": 3], query: "?dryRun=true&select=/counter")
            #expect(tried.status == 200)
            #expect(tried.taggedRevision == 1)
            #expect(tried.revision == 1)
            #expect(tried[json: "outcome"] == "committed")
            #expect(tried[json: "state"] == ["count": 7])
            #expect(tried[json: "effects"] == [])
            #expect(tried[json: "patch"] == [["op": "replace", "path": "/counter/count", "value": 7]])
            #expect(try await session.revision() == 1)
            #expect(try await session.state("/counter/count") == 4)
            #expect(try await session.increment()[json: "patch"] == nil)
            #expect(try await session.read("/actions")[json: "actions"]?.asArray?.count == 2)
        }
    }

    @Test func nothingIsAwaited() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let tried = try await session.dispatch(
                "animal/fetchAnimal", query: "?dryRun=true", fields: [("Prefer", "wait=3600")])
            #expect(tried.status == 200 && tried["preference-applied"] == nil)
        }
    }

    @Test(arguments: ["app", "login"])
    func noEffectStarts(_ store: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session(store)
            for name in ["username", "password"] {
                _ = try await session.dispatch("login/enteringCredential", [name: "long enough"])
            }
            let tried = try await session.dispatch("login/authenticate", query: "?dryRun=true")
            #expect(tried[json: "outcome"] == "committed")
            #expect(tried.at("/state/login/status") == "authenticating")
            #expect(try await session.state("/login/status") == "validCredentials")
            #expect(try await session.read()[json: "effects"] == [])
            #expect(try await session.revision() == 2)
        }
    }

    @Test(arguments: ["app", "login", "login-form"])
    func theFirstActionIsTriedOnTheInitialState(_ store: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session(store)
            let form = store == "login-form"
            let tried = try await session.dispatch(
                form ? "form/set" : "login/enteringCredential", ["username": "somebody"], query: "?dryRun=true")
            #expect(tried[json: "patch"]?.asArray?.isEmpty == false)
            #expect(tried.revision == 0)
            let before = try await api.session(store).state()
            #expect(try await session.state() == before)
        }
    }

    @Test func aBatchIsTriedAsOne() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            let batch: JSONValue = [
                ["type": "tasks/add", "payload": ["title": "one"]], ["type": "tasks/remove", "payload": ["id": 1]],
            ]
            let tried = try await api.post(session.path + "/actions?dryRun=true", json: batch)
            #expect(tried[json: "outcome"] == "committed")
            #expect(tried.at("/state/trends") == ["added": 1, "completed": 0, "removed": 1])
            #expect(try await session.revision() == 0)
        }
    }

    @Test func invalidActionsAreRefused() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let rejected = try await session.dispatch("betslip/placeBet", query: "?dryRun=true")
            #expect(rejected.status == 409)
            #expect(rejected[json: "reason"] == "empty-betslip")
            let ignored = try await session.dispatch("animal/ackError", query: "?dryRun=true")
            #expect(ignored[json: "outcome"] == "ignored")
            #expect(ignored[json: "patch"] == [])
            let elsewhere = try await session.dispatch(
                "counter/increment", query: "?dryRun=true", fields: [("If-Match", "\"7\"")])
            #expect(elsewhere.status == 412)
            let unknown = try await session.dispatch("counter/x", query: "?dryRun=true")
            #expect(unknown.code == "unknown-action")
            #expect(try await session.dispatch("counter/increment", query: "?dryRun=yes").code == "malformed-request")
            #expect(try await session.revision() == 0)
        }
    }
}
