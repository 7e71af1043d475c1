import JSON
import Journal
import StoreHosting
import StorehouseServer
import Testing

/// Work that grows with a state leaves the event loop.
@Suite struct LargeStateTests {
    /// A server with one event loop, and a session whose state is large.
    private struct Scene {
        let api: TestAPI
        let large: LiveSession
        let slow: SlowKind

        /// Posts an action that must succeed.
        func dispatch(_ type: String, _ payload: JSONValue? = nil) async throws {
            let response = try await large.dispatch(type, payload, query: "?select=/count")
            #expect(response.status == 200)
        }
    }

    private static let text = String(repeating: "0123456789", count: 10_000)

    private func run(_ body: (Scene) async throws -> Void) async throws {
        let slow = SlowKind()
        let configuration = Configuration.with {
            $0.http.threads = 1
            $0.http.maxBodyBytes = 1 << 20
            $0.sessions.maxStateBytes = 1 << 28
        }
        let kinds = [slow.kind, StoreKind.faulty]
        try await TestAPI.run(kinds: kinds, configuration: configuration) { api in
            let large = try await api.session("slow")
            let scene = Scene(api: api, large: large, slow: slow)
            try await scene.dispatch("slow/set", ["text": .string(Self.text)])
            // By now the server knows that it is large.
            #expect(try await large.state("/text")?.asString?.count == Self.text.count)
            try await body(scene)
        }
    }

    /// A body that takes long to parse is parsed where large states are handled.
    @Test func aLargeBodyIsParsedLater() async throws {
        try await TestAPI.run(configuration: .with { $0.http.maxBodyBytes = 1 << 20 }) { api in
            let session = try await api.session()
            let spaces = [UInt8](repeating: 0x20, count: 100_000)
            func post(_ path: String, _ body: String) async throws -> TestResponse {
                try await api.send(
                    TestRequest("POST", path, [("Content-Type", "application/json")], body: spaces + body.utf8))
            }
            #expect(try await post(session.path + "/actions", #"{"type":"counter/increment"}"#).revision == 1)
            let faulty = try await post(session.path + "/actions", "{")
            #expect(faulty.code == "malformed-json" && faulty[json: "offset"] == 100_001)
            // These bodies are never long, so they are parsed on the event loop.
            #expect(try await post("/sessions", "{}").code == "body-too-large")
            #expect(try await post(session.path + "/forks", "{}").code == "body-too-large")
        }
    }

    enum Work: CaseIterable { case read, readPast, action, batch, waitedAction, sharedCondition, fork }

    private static func request(_ work: Work, _ scene: Scene) async throws -> TestRequest {
        let large = scene.large
        return switch work {
        case .read: TestRequest("GET", large.path + "/state?select=slow")
        case .readPast: TestRequest("GET", large.path + "/state?select=slow&revision=1")
        case .action: large.request("slow/block")
        case .batch:
            TestRequest("POST", large.path + "/actions", json: [["type": "slow/count"], ["type": "slow/block"]])
        case .waitedAction: large.request("slow/count", query: "?select=slow", fields: [("Prefer", "wait=3600")])
        case .sharedCondition:
            TestRequest(
                "POST", try await large.share(["may": ["act"], "select": "/count"]).path + "/actions",
                [("If-Match", "\"2\"")], json: ["type": "slow/block"])
        case .fork: TestRequest("POST", large.path + "/forks")
        }
    }

    /// A share that is revoked while its requests wait for a thread is good for none of them.
    @Test func aShareIsRevokedWhileRequestsWait() async throws {
        try await run { scene in
            let (api, large) = (scene.api, scene.large)
            let share = try await large.share(["may": ["read", "act"], "select": "/count"])
            let first = try await share.state()
            #expect(first.json == ["revision": 1, "state": 0])
            async let blocked = api.send(large.request("slow/block"))
            await scene.slow.job.started()
            let count: JSONValue = ["type": "slow/count"]
            let requests = [
                TestRequest("GET", share.path + "/state"),
                TestRequest("POST", share.path + "/actions", json: count),
                TestRequest("POST", share.path + "/actions", [("Idempotency-Key", "\"k\"")], json: count),
                TestRequest("POST", share.path + "/actions", [("Prefer", "wait=5")], json: count),
            ]
            let clients = try requests.map { _ in try api.client() }
            for (client, request) in zip(clients, requests) { try await client.send(request.bytes) }
            // The only loop answers this after it has taken the requests before.
            #expect(try await api.delete(large.path + "/shares").status == 204)
            scene.slow.job.release()
            #expect(try await blocked.status == 200)
            for client in clients {
                let response = try await client.response()
                #expect(response.status == 404 && response.code == "no-such-share")
            }
            #expect(try await large.state("/count") == 0)
        }
    }

    /// The loop is the only one, so another session is served only if the work has left it.
    @Test(arguments: Work.allCases)
    func workOnALargeStateHoldsUpNoOtherSession(_ work: Work) async throws {
        try await run { scene in
            let other = try await scene.api.session("faulty")
            try await scene.dispatch("slow/count")
            if work == .fork {
                try await scene.dispatch("slow/rename", ["name": .string(scene.slow.nameThatBlocksForks())])
            }
            let request = try await Self.request(work, scene)
            async let answer = scene.api.send(request)
            await scene.slow.job.started()
            #expect(try await other.dispatch("faulty/count").at("/state/count") == 1)
            #expect(try await other.read("/state").status == 200)
            scene.slow.job.release()
            #expect(try await answer.status == (work == .fork ? 201 : 200))
        }
    }

    @Test func equalRequestsShareOneRead() async throws {
        try await run { scene in
            async let blocked = scene.api.send(scene.large.request("slow/block"))
            await scene.slow.job.started()
            let clients = try (0..<6).map { _ in try scene.api.client() }
            for client in clients { try await client.send(try await Self.request(.read, scene).bytes) }
            // The only loop answers this after it has taken the requests before.
            #expect(try await scene.api.get("/healthz").status == 200)
            scene.slow.job.release()
            #expect(try await blocked.status == 200)
            for client in clients { #expect(try await client.response().json["state"]?.asInteger == Self.text.count) }
            // The action, and at most one read for those that came before it began and one for any that came later.
            #expect(scene.slow.job.runs <= 3)
        }
    }

    @Test func beyondTheQueueRequestsAreRefused() async throws {
        try await run { scene in
            let (api, large) = (scene.api, scene.large)
            let second = try await api.session("slow")
            _ = try await second.dispatch("slow/set", ["text": .string(Self.text)])
            async let blocked = api.send(large.request("slow/block"))
            await scene.slow.job.started()
            let clients = try (0..<200).map { _ in try api.client() }
            for (number, client) in clients.enumerated() {
                try await client.send(TestRequest("GET", large.path + "/state?select=/\(number)").bytes)
            }
            // Another large session is served meanwhile.
            #expect(try await second.state("/count") == 0)
            scene.slow.job.release()
            #expect(try await blocked.status == 200)
            var refused = 0
            for client in clients {
                let response = try await client.response()
                if response.status == 503 {
                    refused += 1
                    #expect(response.code == "overloaded")
                    #expect(response["retry-after"] == "1")
                } else {
                    #expect(response.json["state"] == .null)
                }
            }
            #expect(refused > 0)
            #expect(refused < 200)
        }
    }

    @Test func aLargeStateIsReadLikeASmallOne() async throws {
        try await run { scene in
            let large = scene.large
            try await scene.dispatch("slow/count")
            let whole = try await large.read("/state")
            #expect(whole.revision == 2)
            #expect(whole.taggedRevision == 2)
            #expect(whole.at("/state/text")?.asString == Self.text)
            #expect(try await large.read("/state", [("If-None-Match", "\"2\"")]).status == 304)
            #expect(try await large.read("/state", [("If-None-Match", "\"1\"")]).status == 200)
            #expect(try await large.read("/state?select=/count").json == ["revision": 2, "state": 1])
            #expect(try await large.read("/state?select=/nothing").json == ["revision": 2, "state": nil])
            for (revision, count) in [(1, 0), (2, 1), (1, 0)] {
                let past = try await large.read("/state?revision=\(revision)&select=/count")
                #expect(past.json == ["revision": .integer(revision), "state": .integer(count)])
                #expect(past.taggedRevision == revision)
            }
            #expect(try await large.read("/state?revision=0").at("/state/text") == "")
            #expect(try await large.read("/state?revision=3").code == "no-such-revision")
            #expect(try await large.read("/state?revision=1", [("If-None-Match", "\"1\"")]).status == 304)
            #expect(try await large.read()[json: "revision"] == 2)
        }
    }

    @Test func anActionOnALargeStateIsAnsweredLikeOthers() async throws {
        try await run { scene in
            let large = scene.large
            let key = [("Idempotency-Key", "\"k\"")]
            let counted = try await large.dispatch("slow/count", query: "?select=/count", fields: key)
            #expect(counted.json["state"] == 1)
            let again = try await large.dispatch("slow/count", query: "?select=/count", fields: key)
            #expect(again["idempotency-replayed"] == "true")
            #expect(again.json["state"] == 1)
            #expect(try await large.dispatch("slow/nothing").code == "unknown-action")
            #expect(try await large.dispatch("slow/count", fields: [("If-Match", "\"1\"")]).code == "revision-mismatch")
            #expect(try await large.dispatch("slow/count", fields: [("Prefer", "return=minimal")]).status == 204)
            let dry = try await large.dispatch("slow/count", query: "?dryRun=true&select=/count")
            #expect(dry.json["state"] == 3)
            let events = try await large.events(query: "?select=/count")
            #expect(try await events.state().revision == 3)
            // It becomes small again.
            _ = try await large.dispatch("slow/set", ["text": "a"])
            #expect(try await large.read("/state").at("/state/text") == "a")
            #expect(try await large.read("/state?revision=1").at("/state/text")?.asString == Self.text)
            #expect(try await large.delete().status == 204)
        }
    }

    @Test func forksOfALargeStateGoTheirOwnWays() async throws {
        try await run { scene in
            try await scene.dispatch("slow/count")
            var forks: [LiveSession] = []
            for _ in 0..<3 {
                let response = try await scene.api.post(scene.large.path + "/forks", json: ["revision": 2])
                #expect(response.status == 201)
                #expect(response.at("/state/text")?.asString == Self.text)
                #expect(response[json: "forkedFrom"] == ["revision": 2])
                forks.append(LiveSession(server: scene.api, path: try #require(response["location"])))
            }
            for (number, fork) in forks.enumerated() {
                for _ in 0...number { _ = try await fork.dispatch("slow/count", query: "?select=/count") }
                _ = try await fork.dispatch("slow/rename", ["name": .string("fork \(number)")])
            }
            for (number, fork) in forks.enumerated() {
                #expect(try await fork.state("/count") == .integer(number + 2))
                #expect(try await fork.state("/name") == .string("fork \(number)"))
                #expect(try await fork.read("/state?revision=0&select=/count").json["state"] == 1)
                #expect(try await fork.read("/state?revision=1&select=/count").json["state"] == 2)
            }
            #expect(try await scene.large.state("/count") == 1)
            #expect(try await scene.large.state("/name") == "")
        }
    }
}
