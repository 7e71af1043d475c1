import JSON
import Testing

/// Batches: all in order with one answer, or nothing.
@Suite struct BatchTests {
    private static let increment: JSONValue = ["type": "counter/increment"]

    @Test func aBatchIsCommittedInOrderWithARevisionEach() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.post([
                ["type": "user/balanceIncrease", "payload": ["value": 100]],
                ["type": "betslip/addSelection", "payload": Self.selection],
                ["type": "betslip/setStake", "payload": ["id": "a", "stake": 100]],
                ["type": "betslip/placeBet"],
            ])
            #expect(response.status == 200)
            #expect(response.revision == 4)
            #expect(response[json: "outcome"] == "committed")
            #expect(response.at("/state/betslip/placed/0/potentialReturn") == 250)
            #expect(response.at("/state/user/balance") == 0)
        }
    }

    private static let selection: JSONValue = ["id": "a", "event": "e", "outcome": "o", "odds": 250]

    @Test(arguments: ["app", "login"])
    func oneRejectionRevertsTheWholeBatch(_ store: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session(store)
            let entering: JSONValue = ["type": "login/enteringCredential", "payload": ["username": "a long name"]]
            let rejected = try await session.post([entering, entering, ["type": "login/authenticate"]])
            #expect(rejected.status == 409)
            #expect(rejected[json: "index"] == 2)
            #expect(rejected[json: "reason"] == "invalid-credentials-format")
            let refused = try await session.post([entering, ["type": "login/enteringCredential", "payload": [:]]])
            #expect(refused.status == 422)
            #expect(refused[json: "index"] == 1)
            #expect(refused.at("/errors/0/pointer") == "/1/payload")
            let unknown = try await session.post([["type": "x/y"], entering])
            #expect(unknown.code == "unknown-action")
            #expect(unknown[json: "index"] == 0)
            let forbidden = try await session.post([entering, ["type": "login/authenticated"]])
            #expect(forbidden.code == "internal-action")
            #expect(forbidden[json: "index"] == 1)
            #expect(try await session.revision() == 0)
            #expect(try await session.state("/login/status") == "idle")
        }
    }

    @Test(arguments: [(1, 200), (100, 200), (0, 422), (101, 422)])
    func aBatchHas1To100Actions(_ count: Int, _ status: Int) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.post(.array(Array(repeating: Self.increment, count: count)))
            #expect(response.status == status)
            #expect(try await session.state("/counter/count") == .integer(status == 200 ? count : 0))
        }
    }

    @Test func theOutcomeIsCommittedIfAnyActionWas() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let ignored: JSONValue = ["type": "animal/ackError"]
            let some = try await session.post([ignored, Self.increment, ignored])
            #expect(some[json: "outcome"] == "committed")
            #expect(some.revision == 1)
            let none = try await session.post([ignored, ignored])
            #expect(none[json: "outcome"] == "ignored")
            #expect(none.revision == 1)
        }
    }

    @Test func theEffectsOfAllItsActionsAreListed() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let response = try await session.post([
                ["type": "login/enteringCredential", "payload": ["username": "a long name"]],
                ["type": "login/enteringCredential", "payload": ["password": "a long password"]],
                ["type": "login/authenticate"], ["type": "animal/fetchAnimal"],
            ])
            let effects = response[json: "effects"]?.asArray?.compactMap(\.asString)
            #expect(effects?.sorted() == ["animal.fetch", "login.authenticate"])
        }
    }

    @Test func aConditionHoldsForTheWholeBatch() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let batch: JSONValue = [Self.increment, Self.increment]
            #expect(try await session.post(batch, [("If-Match", "\"0\"")]).revision == 2)
            #expect(try await session.post(batch, [("If-Match", "\"1\"")]).status == 412)
            #expect(try await session.post(batch, [("If-Match", "\"2\"")]).revision == 4)
        }
    }
}
