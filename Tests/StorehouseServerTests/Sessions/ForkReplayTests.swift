import JSON
import Sessions
import StoreHosting
import StorehouseServer
import StoresTesting
import Testing

/// Forks to which the actions of clients are sent again.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ForkReplayTests {
    private static func fork(_ session: LiveSession, _ body: JSONValue, _ query: String = "") async throws
        -> TestResponse
    {
        try await session.server.post(session.path + "/forks" + query, json: body)
    }

    private static func forked(_ answer: TestResponse, of session: LiveSession) throws -> LiveSession {
        #expect(answer.status == 201)
        return LiveSession(server: session.server, path: try #require(answer["location"]))
    }

    private static func types(_ session: LiveSession) async throws -> [String] {
        try await session.read("/actions")[json: "actions"]?.asArray?.compactMap { $0["type"]?.asString } ?? []
    }

    // MARK: Replay

    private static func sendsAgain(_ api: TestAPI) async throws {
        let session = try await api.session()
        for by in [1, 10, 100, 1000] { _ = try await session.increment(by) }
        let answer = try await fork(session, ["revision": 1, "replay": ["skip": [2], "through": 3]])
        let forked = try forked(answer, of: session)
        #expect(answer[json: "replay"] == [["revision": 3, "type": "counter/increment", "outcome": "committed"]])
        #expect(answer[json: "forkedFrom"] == ["revision": 1])
        #expect(answer.revision == 1 && answer.at("/state/counter/count") == 101)
        #expect(try await forked.read("/state?revision=0").at("/state/counter/count") == 1)
        #expect(try await forked.read("/actions").at("/actions/0/payload") == ["by": 100])
        #expect(try await forked.increment().at("/state/counter/count") == 102)
        #expect(try await session.state("/counter/count") == 1111)
        // Without an end it is the newest revision, and without a start there is nothing to send.
        #expect(try await fork(session, ["revision": 0, "replay": [:]]).at("/state/counter/count") == 1111)
        #expect(try await fork(session, ["replay": [:]])[json: "replay"] == [])
        #expect(try await fork(session, ["revision": 0])[json: "replay"] == nil)
    }

    @Test func actionsOfClientsAreSentAgainInMemory() async throws { try await TestAPI.run(Self.sendsAgain) }

    @Test(arguments: [false, true])
    func actionsOfClientsAreSentAgainFromStorage(_ onRedis: Bool) async throws {
        try await DurableServer(onRedis: onRedis).runAPI(Self.sendsAgain)
    }

    @Test func theOutcomeOfEachActionIsTold() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            for title in ["one", "two"] { _ = try await session.dispatch("tasks/add", ["title": .string(title)]) }
            for id in 1...2 { _ = try await session.dispatch("tasks/remove", ["id": .integer(id)]) }
            let answer = try await Self.fork(session, ["revision": 0, "replay": ["skip": [2]]])
            #expect(
                answer[json: "replay"] == [
                    ["revision": 1, "type": "tasks/add", "outcome": "committed"],
                    ["revision": 3, "type": "tasks/remove", "outcome": "committed"],
                    ["revision": 4, "type": "tasks/remove", "outcome": "rejected", "reason": "no-such-task"],
                ])
        }
    }

    // MARK: Other actions in the place of those of the log

    @Test func anotherActionIsSentInThePlaceOfOne() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for by in [1, 10, 100, 1000] { _ = try await session.increment(by) }
            let body: JSONValue = [
                "revision": 1,
                "replay": [
                    "skip": [3],
                    "replace": [
                        "2": ["type": "counter/increment", "payload": ["by": 5]],
                        "4": ["type": "user/balanceIncrease", "payload": ["value": 7]],
                    ],
                ],
            ]
            let outcomes: JSONValue = [
                ["revision": 2, "type": "counter/increment", "outcome": "committed"],
                ["revision": 4, "type": "user/balanceIncrease", "outcome": "committed"],
            ]
            #expect(try await Self.fork(session, body, "?dryRun=true").json == ["replay": outcomes])
            let answer = try await Self.fork(session, body)
            #expect(answer[json: "replay"] == outcomes)
            #expect(answer.at("/state/counter/count") == 6 && answer.at("/state/user/balance") == 7)
            #expect(try await session.state("/counter/count") == 1111)
        }
    }

    @Test func whatTheStateDoesNotAllowIsToldOfTheOtherActionToo() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            for title in ["one", "two"] { _ = try await session.dispatch("tasks/add", ["title": .string(title)]) }
            _ = try await session.dispatch("tasks/remove", ["id": 1])
            let action: JSONValue = ["type": "tasks/remove", "payload": ["id": 2]]
            let answer = try await Self.fork(session, ["revision": 0, "replay": ["replace": ["2": action]]])
            #expect(
                answer[json: "replay"] == [
                    ["revision": 1, "type": "tasks/add", "outcome": "committed"],
                    ["revision": 2, "type": "tasks/remove", "outcome": "rejected", "reason": "no-such-task"],
                    ["revision": 3, "type": "tasks/remove", "outcome": "committed"],
                ])
        }
    }

    @Test(arguments: [
        (
            #"{"2":{"type":"counter/increment","payload":{"by":"x"}}}"#, "invalid-payload",
            "/replay/replace/2/payload/by"
        ),
        (#"{"2":[]}"#, "invalid-payload", "/replay/replace/2"),
        (#"{"9":{"type":"counter/increment"}}"#, "invalid-payload", "/replay/replace/9"),
        (#"{"1":{"type":"counter/increment"}}"#, "invalid-payload", "/replay/replace/1"),
        (#"{"2":{"type":"counter/increase"}}"#, "unknown-action", nil),
    ])
    func anotherActionThatCannotBeMakesNoFork(_ actions: String, _ code: String, _ pointer: String?) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 0..<2 { _ = try await session.increment() }
            let count = api.api.residentSessions
            for query in ["", "?dryRun=true"] {
                let body: JSONValue = [
                    "revision": 1, "replay": ["replace": try JSONValue(parsing: Array(actions.utf8))],
                ]
                let answer = try await Self.fork(session, body, query)
                #expect(answer.status == 422 && answer.code == code, "\(answer.text)")
                #expect(answer.at("/errors/0/pointer")?.asString == pointer)
            }
            #expect(api.api.residentSessions == count)
        }
    }

    /// Up to the 20 that each body has.
    @Test(arguments: [
        (#"{"type":"counter/increment","payload":{"by":"x"}}"#, "/payload/by", 2...4, 3),
        (#"{"type":"counter/increment","payload":{"by":"x"}}"#, "/payload/by", 2...40, 20),
        (#"{"type":"counter/increment"}"#, "", 7...8, 2), (#"{"type":"counter/increment"}"#, "", 7...40, 20),
    ])
    func allOtherActionsThatCannotBeAreTold(
        _ action: String, _ place: String, _ revisions: ClosedRange<Int>, _ count: Int
    ) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 0..<6 { _ = try await session.increment() }
            var actions: JSONObject = ["5": ["type": "counter/increment"]]
            for revision in revisions { actions[String(revision)] = try JSONValue(parsing: Array(action.utf8)) }
            let answer = try await Self.fork(session, ["revision": 1, "replay": ["replace": .object(actions)]])
            #expect(answer.status == 422 && answer.code == "invalid-payload", "\(answer.text)")
            let pointers = answer[json: "errors"]?.asArray?.map { $0["pointer"]?.asString }
            #expect(pointers == revisions.prefix(count).map { "/replay/replace/\($0)\(place)" })
        }
    }

    /// The log has redacted the secret, so nobody but the sender of the other action knows it.
    @Test func anotherActionMayHaveASecret() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("login")
            let action: JSONValue = [
                "type": "login/enteringCredential", "payload": ["password": "h0rse-battery-staple"],
            ]
            _ = try await session.post(action)
            let answer = try await Self.fork(session, ["revision": 0, "replay": ["replace": ["1": action]]])
            #expect(answer[json: "replay"]?.asArray?.map { $0["outcome"] } == ["committed"])
            #expect(!answer.text.contains("battery"))
        }
    }

    @Test func aManyTimesLongerLogIsReadInPortions() async throws {
        try await DurableServer().runAPI { api in
            let session = try await api.session()
            for _ in 0..<12 {
                _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 100)))
            }
            let answer = try await Self.fork(session, ["revision": 0, "replay": ["skip": [1, 700]]])
            #expect(answer.at("/state/counter/count") == 1198 && answer[json: "replay"]?.asArray?.count == 1198)
        }
    }

    @Test func anActionWithASecretIsSkipped() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.dispatch("login/enteringCredential", ["username": "ada"])
            _ = try await session.dispatch("login/enteringCredential", ["password": "h0rse-battery-staple"])
            let answer = try await Self.fork(session, ["revision": 0, "replay": [:]])
            #expect(answer[json: "replay"]?.asArray?.map { $0["outcome"] } == ["committed", "skipped"])
            #expect(answer.at("/replay/1/reason") == "secret")
            #expect(try await Self.types(Self.forked(answer, of: session)) == ["login/enteringCredential"])
        }
    }

    @Test func noEffectIsStartedAndWhatWaitsForOneIsInterrupted() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(kinds: [.relay(remote)]) { api in
            let session = try await api.session("relay")
            _ = try await session.dispatch("relay/echo")
            _ = try await session.dispatch("relay/listen")
            _ = try await session.dispatch("relay/call", ["times": 1])
            await remote.called(times: 1)
            let answer = try await Self.fork(session, ["revision": 0, "replay": [:]])
            #expect(
                answer[json: "replay"]?.asArray?.map { $0["type"] } == ["relay/echo", "relay/listen", "relay/call"])
            // The middleware has answered the first as it did before.
            #expect(answer.at("/state/texts") == ["echo", "interrupted"])
            let forked = try Self.forked(answer, of: session)
            #expect(try await forked.read()[json: "effects"] == [])
            #expect(
                try await Self.types(forked) == [
                    "relay/echo", "relay/arrived", "relay/listen", "relay/call", "relay/arrived",
                ])
            #expect(remote.requests.count == 1)
            // Its own action starts one.
            _ = try await forked.dispatch("relay/call", ["times": 1])
            await remote.called(times: 2)
            #expect(try await forked.read()[json: "effects"] == ["relay.call"])
        }
    }

    @Test func aDryRunTellsTheOutcomesAndMakesNothing() async throws {
        try await TestAPI.run { api in
            let session = try await api.session("planner")
            _ = try await session.dispatch("tasks/add", ["title": "one"])
            _ = try await session.dispatch("tasks/remove", ["id": 1])
            let count = api.api.residentSessions
            let body: JSONValue = ["revision": 0, "replay": ["skip": [1]]]
            let answer = try await Self.fork(session, body, "?dryRun=true")
            #expect(answer.status == 200 && answer["location"] == nil)
            let rejected: JSONValue = [
                "revision": 2, "type": "tasks/remove", "outcome": "rejected", "reason": "no-such-task",
            ]
            #expect(answer.json == ["replay": [rejected]])
            #expect(try await Self.fork(session, ["revision": 1], "?dryRun=true").json == ["replay": []])
            #expect(api.api.residentSessions == count)
            #expect(try await Self.fork(session, body, "?dryRun=maybe").status == 400)
        }
    }

    @Test(arguments: [
        (#"{"replay":{"through":9}}"#, 404, "no-such-revision"),
        (#"{"revision":9,"replay":{}}"#, 404, "no-such-revision"),
        (#"{"revision":2,"replay":{"through":1}}"#, 422, "invalid-payload"),
        (#"{"replay":{"skip":["1"]}}"#, 422, "invalid-payload"), (#"{"replay":{"skip":1}}"#, 422, "invalid-payload"),
        (#"{"replay":true}"#, 422, "invalid-payload"), (#"{"replay":{"only":[1]}}"#, 422, "invalid-payload"),
        (#"{"replay":{"skip":[0]}}"#, 422, "invalid-payload"), (#"{"replay":{"replace":[]}}"#, 422, "invalid-payload"),
        (#"{"replay":{"replace":{"01":{}}}}"#, 422, "invalid-payload"),
    ])
    func aReplayThatCannotBeIsRefused(_ body: String, _ status: Int, _ code: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 0..<2 { _ = try await session.increment() }
            for query in ["", "?dryRun=true"] {
                let field = ("Content-Type", "application/json")
                let answer = try await api.send(
                    TestRequest("POST", session.path + "/forks" + query, [field], body: Array(body.utf8)))
                #expect(answer.status == status && answer.code == code, "\(answer.text)")
            }
        }
    }

    @Test func actionsThatTheLogHasLostCannotBeSentAgain() async throws {
        try await TestAPI.run(configuration: .with { $0.storage.keepCommits = 10 }) { api in
            let session = try await api.session()
            _ = try await session.post(.array(Array(repeating: ["type": "counter/increment"], count: 100)))
            #expect(try await Self.fork(session, ["revision": 3, "replay": [:]]).code == "revision-gone")
            let kept = try await Self.fork(session, ["revision": 95, "replay": [:]])
            #expect(kept[json: "replay"]?.asArray?.count == 5)
        }
    }

    @Test func anotherNodeForwardsAReplay() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            for by in [1, 10] { _ = try await here.increment(by) }
            let there = here.at(cluster.second)
            let answer = try await Self.fork(there, ["revision": 0, "replay": ["skip": [1]]])
            #expect(answer.at("/state/counter/count") == 10)
            #expect(try await Self.fork(there, ["revision": 0, "replay": [:]], "?dryRun=true").status == 200)
        }
    }

    // MARK: Rest

    /// A timer that is due fires as soon as it is armed.
    @Test func aForkArmsNoTimerBeforeItsFirstOwnAction() async throws {
        let remote = ScriptedRemoteClient()
        try await TestAPI.run(kinds: [.relay(remote)]) { api in
            let session = try await api.session("relay")
            _ = try await session.dispatch("relay/arm", ["at": 1])
            await remote.called(times: 1)
            for body in [["revision": 1], ["revision": 0, "replay": [:]]] as [JSONValue] {
                let forked = try Self.forked(try await Self.fork(session, body), of: session)
                #expect(try await forked.state("/deadline") == 1)
                #expect(try await forked.dispatch("relay/echo").status == 200)
                try await waitUntil { try await forked.state("/deadline") == .null }
                let types = try await Self.types(forked).filter { $0 != "relay/arm" }
                #expect(types == ["relay/echo", "relay/arrived", "relay/due"])
            }
        }
    }

    @Test func aForkRestsAlsoAfterItHasLeftMemory() async throws {
        let remote = ScriptedRemoteClient()
        let configuration = Configuration.with { $0.sessions.maxResident = 1 }
        try await DurableServer().runAPI(kinds: [.relay(remote)], configuration: configuration) { api in
            let session = try await api.session("relay")
            _ = try await session.dispatch("relay/arm", ["at": 1])
            await remote.called(times: 1)
            for body in [["revision": 1], ["revision": 0, "replay": [:]]] as [JSONValue] {
                let forked = try Self.forked(try await Self.fork(session, body), of: session)
                // The parent stays, for it has a call that runs.
                let other = try await api.session("relay")
                try await api.hibernates(to: 2)
                _ = try await other.delete()
                #expect(try await forked.state("/deadline") == 1)
                #expect(try await forked.dispatch("relay/echo").status == 200)
                try await waitUntil { try await forked.state("/deadline") == .null }
                let types = try await Self.types(forked).filter { $0 != "relay/arm" }
                #expect(types == ["relay/echo", "relay/arrived", "relay/due"])
                _ = try await forked.delete()
            }
        }
    }
}
