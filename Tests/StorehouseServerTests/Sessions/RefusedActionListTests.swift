import JSON
import Platform
import Sessions
import StoreHosting
import StorehouseServer
import StoresTesting
import Testing

/// `GET …/actions?refused=true`: the last refused actions of a session.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RefusedActionListTests {
    private static func list(_ session: LiveSession) async throws -> [JSONValue] {
        let answer = try await session.read("/actions?refused=true")
        #expect(answer.status == 200 && answer.json.asObject?.names == ["actions"])
        #expect(answer["cache-control"] == "no-store")
        return answer[json: "actions"]?.asArray ?? []
    }

    @Test func everyRefusalIsListedNewestFirstAsItWasAnswered() async throws {
        let clock = ManualClock(1_700_000_000_000)
        try await TestAPI.run(clock: clock.clock) { api in
            let session = try await api.session()
            #expect(try await Self.list(session) == [])
            _ = try await session.increment()
            let key = [("Idempotency-Key", "\"k\"")]
            #expect(try await session.dispatch("counter/increment", fields: key).status == 200)
            let requests = [
                session.request("betslip/placeBet"), session.request("counter/increment", ["by": "x"]),
                session.request("counter/nothing", ["by": 1]),
                session.request("animal/setCurrentAnimal", ["animal": "Cat"]),
                session.request("counter/increment", fields: [("If-Match", "\"7\"")]),
                session.request("counter/increment", ["by": 9], fields: key),
            ]
            var answers: [TestResponse] = []
            for request in requests { answers.append(try await api.send(request)) }
            #expect(answers.map(\.status) == [409, 422, 422, 403, 412, 422])
            let list = try await Self.list(session)
            #expect(list.count == answers.count)
            for (entry, answer) in zip(list.reversed(), answers) {
                #expect(entry["status"] == .integer(answer.status) && entry["code"] == answer[json: "code"])
                #expect(entry["reason"] == answer[json: "reason"])
                #expect(entry["at"] == "2023-11-14T22:13:20.000Z")
            }
            #expect(
                list.map { $0["type"] } == [
                    "counter/increment", "counter/increment", "animal/setCurrentAnimal", "counter/nothing",
                    "counter/increment", "betslip/placeBet",
                ])
            #expect(list.map { $0["payload"] } == [["by": 9], nil, ["animal": "Cat"], nil, ["by": "x"], nil])
            // The store may be busy with the first request of a key.
            #expect(list.map { $0["revision"] } == [nil, 2, 2, 2, 2, 2])
            #expect(list.allSatisfy { $0["index"] == nil })
        }
    }

    @Test func aBatchIsListedOnceWithTheIndexOfItsAction() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let increment: JSONValue = ["type": "counter/increment", "payload": ["by": 1]]
            #expect(try await session.post([increment, ["type": "betslip/placeBet"], increment]).status == 409)
            #expect(try await session.post([increment, increment, ["type": "no/such"]]).status == 422)
            #expect(try await session.post([increment], [("If-Match", "\"7\"")]).status == 412)
            let list = try await Self.list(session)
            #expect(list.map { $0["index"] } == [nil, 2, 1])
            #expect(list.map { $0["type"] } == ["counter/increment", "no/such", "betslip/placeBet"])
            #expect(try await session.revision() == 0)
        }
    }

    @Test func onlyRefusedActionsAreListed() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            #expect(try await session.dispatch("betslip/placeBet", query: "?dryRun=true").status == 409)
            #expect(try await session.dispatch("counter/increment", query: "?dryRun=maybe").status == 400)
            let broken = TestRequest("POST", session.path + "/actions", body: Array("{".utf8))
            #expect(try await api.send(broken).status == 400)
            #expect(try await Self.list(session) == [])
            // A repeat of a rejected action is not refused once more.
            for _ in 0..<2 {
                let key = [("Idempotency-Key", "\"k\"")]
                #expect(try await session.dispatch("betslip/placeBet", fields: key).status == 409)
            }
            #expect(try await Self.list(session).count == 1)
        }
    }

    @Test func aSecretIsNeverShown() async throws {
        let secret = "h0rse-battery-staple"
        try await TestAPI.run { api in
            let session = try await api.session()
            let payloads: [JSONValue] = [
                ["password": [.string(secret)]], ["username": "ada", "password": .string(secret)],
                ["passwrod": .string(secret)],
                ["username": [["password": .string(secret)]], "Password": .string(secret)],
                .string(secret), [.string(secret)],
            ]
            for payload in payloads {
                let answer = try await session.dispatch("login/enteringCredential", payload)
                #expect(answer.status == 422)
            }
            #expect(
                try await session.dispatch("login/enteringCredentials", ["password": .string(secret)]).status == 422)
            #expect(try await session.post(.string(secret)).status == 422)
            let list = try await Self.list(session)
            #expect(list.count == payloads.count + 2)
            #expect(list[0]["type"] == nil && list[0]["payload"] == nil)
            #expect(list[1]["payload"] == nil)
            #expect(list[6]["payload"] == ["username": "ada", "password": "***"])
            #expect(list[5]["payload"] == [:] && list[5]["isCut"] == nil)
        }
    }

    @Test func theListIsBounded() async throws {
        let configuration = Configuration.with { $0.http.maxBodyBytes = 1 << 20 }
        try await TestAPI.run(configuration: configuration) { api in
            let session = try await api.session()
            for index in 0..<105 { _ = try await session.dispatch("no/such-\(index)") }
            let list = try await Self.list(session)
            #expect(list.map { $0["type"] } == (5..<105).reversed().map { .string("no/such-\($0)") })
            let long = String(repeating: "x", count: 500_000)
            _ = try await session.dispatch("counter/increment", ["by": .string(long), "also": 1])
            _ = try await session.dispatch(long)
            let answer = try await session.read("/actions?refused=true")
            #expect(answer.body.count < RefusedActions.maxBytes)
            #expect(answer.at("/actions/1/payload") == ["also": 1])
            #expect(answer.at("/actions/1/isCut") == true)
        }
    }

    @Test func aShareSendsActionsThatAreListed() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            let share = try await session.share(["may": ["read", "act"]])
            #expect(try await share.post(["type": "betslip/placeBet"]).status == 409)
            #expect(try await Self.list(session).map { $0["type"] } == ["betslip/placeBet"])
            let reader = try await session.share(["may": ["read"]])
            #expect(try await reader.post(["type": "betslip/placeBet"]).status == 403)
            #expect(try await Self.list(session).count == 1)
        }
    }

    @Test(arguments: [false, true])
    func aSessionThatHibernatesForgetsThem(_ onRedis: Bool) async throws {
        let configuration = Configuration.with { $0.sessions.maxResident = 1 }
        try await DurableServer(onRedis: onRedis).runAPI(configuration: configuration) { api in
            let session = try await api.session()
            _ = try await session.dispatch("betslip/placeBet")
            #expect(try await Self.list(session).count == 1)
            // The other one is used later, so this one leaves.
            let lastUse = systemTime()
            try await waitUntil { systemTime() > lastUse + 1 }
            _ = try await api.session()
            try await api.hibernates(to: 1)
            #expect(try await Self.list(session) == [])
        }
    }

    @Test func anotherNodeListsThoseOfTheOwner() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            _ = try await there.dispatch("betslip/placeBet")
            #expect(try await Self.list(there).count == 1)
            #expect(try await Self.list(there) == (try await Self.list(here)))
        }
    }
}

/// The memory of refused actions is bounded.
@Suite struct RefusedActionsTests {
    @Test func theOldestLeaveWhenTheOthersTakeTooMuch() {
        let actions = RefusedActions()
        let payload: JSONValue = ["x": .string(String(repeating: "x", count: 2000))]
        let failure = SessionFailure.action(
            .rejected(reason: String(repeating: "r", count: 5000), index: nil, revision: 7, history: "k2f9"))
        for revision in 0..<300 {
            let body: JSONValue = ["type": "faulty/break", "payload": payload]
            actions.add(RefusedAction(body, failure, of: .faulty, by: .anonymous, at: revision, 0))
        }
        let listed = actions.newestFirst
        #expect(listed.count <= RefusedActions.maxCount && listed.first?.revision == 299)
        #expect(listed.reduce(0) { $0 + $1.byteCount } <= RefusedActions.maxBytes)
        #expect(listed.allSatisfy { ($0.reason?.count ?? 0) <= 256 })
    }
}
