import JSON
import RedisTesting
import Sessions
import StorehouseServer
import StoresTesting
import Testing

/// Each node answers for each session, whichever node has it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ForwardingTests {
    @Test func aSessionIsTheSameAtEveryNode() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            #expect(try await here.increment(2).revision == 1)
            let second = try await there.increment(3)
            #expect(second.status == 200)
            #expect(second.revision == 2)
            #expect(second["via"] == "1.1 127.0.0.1:\(cluster.second.port)")
            #expect(try await there.state("/counter/count") == 5)
            #expect(try await here.state("/counter/count") == 5)
            let document = try await there.read()
            #expect(document.at("/node") == .string("127.0.0.1:\(cluster.first.port)"))
            #expect(try await here.read()["via"] == nil)
            let log = try await there.read("/actions")
            #expect(log.at("/actions/1/revision") == 2)
            #expect(try await there.delete().status == 204)
            #expect(try await here.read().status == 410)
            #expect(try await there.read().status == 410)
        }
    }

    /// Each of them would need a connection for itself otherwise.
    @Test func requestsAtTheSameTimeShareAConnection() async throws {
        try await TestCluster.run(configuration: .with { $0.http.threads = 1 }) { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            #expect(try await there.increment().status == 200)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 { group.addTask { try await there.increment().status } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(try await here.state("/counter/count") == 31)
            let metrics = try await cluster.first.get("/metrics").text.split(separator: "\n")
            let connections = metrics.first { $0.hasPrefix("storehouse_connections ") }?.split(separator: " ").last
            #expect(try #require(connections.flatMap { Int($0) }) < 10)
        }
    }

    @Test func responsesAreThoseOfTheOwner() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            _ = try await here.increment()
            let requests = [
                TestRequest("GET", here.path), TestRequest("HEAD", here.path),
                TestRequest("GET", here.path + "/state", [("If-None-Match", "*")]),
                TestRequest("GET", here.path + "/state?select=/none"),
                TestRequest("GET", here.path + "/actions?limit=0"),
                TestRequest("POST", here.path + "/actions", json: ["type": "no/such"]),
                TestRequest("POST", here.path + "/actions", json: [["type": "betslip/placeBet"]]),
                TestRequest(
                    "POST", here.path + "/actions", [("Prefer", "return=minimal")], json: ["type": "login/ackError"]),
                TestRequest(
                    "POST", here.path + "/actions", [("If-Match", "\"7\"")], json: ["type": "counter/increment"]),
                TestRequest("DELETE", here.path, [("If-Match", "\"7\"")]),
                TestRequest("PUT", here.path, [("Content-Type", "application/json")], json: ["store": "login"]),
            ]
            for request in requests {
                let direct = try await here.server.send(request)
                let forwarded = try await there.server.send(request)
                #expect(direct.status == forwarded.status, "\(request)")
                #expect(direct["content-type"] == forwarded["content-type"], "\(request)")
                #expect(direct["content-length"] == forwarded["content-length"], "\(request)")
                #expect(direct["etag"] == forwarded["etag"], "\(request)")
                #expect(direct["storehouse-outcome"] == forwarded["storehouse-outcome"], "\(request)")
            }
            // The client's own id of the request is in the problem once.
            let problem = try await there.server.get(here.path + "/state?revision=9", [("X-Request-Id", "mine")])
            #expect(problem["x-request-id"] == "mine")
            #expect(String(decoding: problem.body, as: UTF8.self).split(separator: "requestId").count == 2)
        }
    }

    @Test func aKeyIsCommittedOnceWhicheverNodesItsRepeatsReach() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            let fields = [("Idempotency-Key", "\"one\"")]
            let first = try await there.dispatch("counter/increment", ["by": 1], fields: fields)
            let second = try await here.dispatch("counter/increment", ["by": 1], fields: fields)
            let third = try await there.dispatch("counter/increment", ["by": 1], fields: fields)
            #expect([first, second, third].map(\.revision) == [1, 1, 1])
            #expect(third["idempotency-replayed"] == "true")
        }
    }

    @Test func aStreamFollowsTheSessionOfAnotherNode() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            let there = here.at(cluster.second)
            let events = try await there.events()
            #expect(events.head["via"] == "1.1 127.0.0.1:\(cluster.second.port)")
            let first = try await events.state()
            #expect(first.revision == 0)
            _ = try await here.increment()
            _ = try await there.increment()
            let states = try await events.states(upTo: 2)
            #expect(states.last?.revision == 2)
            // It resumes at the other node as if that were the same.
            let id = try #require(first.id)
            let resumed = try await here.events(query: "?changes=patch", [("Last-Event-ID", id)])
            let event = try #require(try await resumed.event())
            #expect(event.name == "patch")
            #expect(event.revision == 1)
            #expect(try await here.delete().status == 204)
            let last = try #require(try await events.event())
            #expect(last.name == "closed")
            #expect(try await events.event() == nil)
        }
    }

    @Test func aNodeThatDrainsGivesItsSessionsBackAtOnce() async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis) { second in
            let (path, events) = try await TestCluster.runNode(on: redis) { first in
                let session = try await first.session()
                let there = session.at(second)
                #expect(try await there.increment().revision == 1)
                let events = try await there.events()
                _ = try await events.state()
                return (session.path, events)
            }
            let closed = try #require(try await events.event())
            #expect(closed.name == "closed")
            #expect(closed.data["reason"] == "draining")
            let session = LiveSession(server: second, path: path)
            // Its lease would last for an hour.
            let response = try await session.increment()
            #expect(response.revision == 2)
            #expect(response["via"] == nil)
        }
    }

    /// The drain cancels the effect, and the next owner records it as interrupted.
    @Test(arguments: [false, true])
    func aWaitThatOutlivesItsOwnerHasNotSettled(isForwarded: Bool) async throws {
        let redis = try RedisServer()
        try await TestCluster.runNode(on: redis) { second in
            let (path, wait) = try await TestCluster.runNode(on: redis) { first in
                let session = try await first.session()
                let asked = isForwarded ? session.at(second) : session
                let wait = Task { try await asked.dispatch("animal/fetchAnimal", fields: [("Prefer", "wait=3600")]) }
                try await waitUntil { try await session.read()[json: "effects"] == ["animal.fetch"] }
                return (session.path, wait)
            }
            let response = try await wait.value
            #expect(response.status == 200)
            #expect(response.json["settled"] == false)
            let session = LiveSession(server: second, path: path)
            try await waitUntil { try await session.state("/animal/error/code") == "interrupted" }
        }
    }

    @Test func aSessionGoesOnWhenTheLifeOfItsNodeIsForgotten() async throws {
        try await TestCluster.run { cluster in
            let here = try await cluster.first.session()
            _ = try await here.increment()
            let events = try await here.events()
            _ = try await events.state()
            try cluster.forgetIncarnations()
            // The node drops the session, and with it the stream.
            #expect(try await events.event() == nil)
            // Whoever gets a request first has it from now on.
            let there = here.at(cluster.second)
            let response = try await there.server.eventually(there.request("counter/increment", ["by": 1])) {
                $0.status == 200
            }
            #expect(response.revision == 2)
            #expect(try await here.increment().revision == 3)
        }
    }

    @Test func oneSubjectHasOnePersonalSessionOnAllNodes() async throws {
        try await TestCluster.run(configuration: TestTokens.configuration()) { cluster in
            let documents = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for server in [cluster.first, cluster.second, cluster.first, cluster.second] {
                    group.addTask { try await server.send("GET", "/sessions/me", as: "alice") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(documents.allSatisfy { $0.status == 200 })
            #expect(Set(documents.map { $0.at("/id") }).count == 1)
        }
    }

    @Test func anIdIsCreatedOnceOnAllNodes() async throws {
        try await TestCluster.run { cluster in
            for _ in 0..<10 {
                let path = "/sessions/\(SessionID.random())"
                async let first = cluster.first.send(TestRequest("PUT", path))
                async let second = cluster.second.send(TestRequest("PUT", path))
                let statuses = try await [first.status, second.status]
                #expect(statuses.sorted() == [200, 201])
            }
        }
    }

    @Test func operatorsReachEachSessionAtEachNode() async throws {
        try await TestCluster.run(configuration: Self.operators) { cluster in
            let session = try await cluster.first.session()
            let path = "/admin" + session.path
            let fields = [("Authorization", "Bearer \(Self.adminToken)")]
            for node in [cluster.first, cluster.second] {
                #expect(try await node.get(path, fields).status == 200)
                #expect(try await node.get(path).status == 401)
            }
            #expect(try await cluster.second.send(TestRequest("DELETE", path, fields)).status == 204)
            #expect(try await session.read().status == 410)
        }
    }

    @Test func whatProvesANodeOpensNothingButWhatNodesForward() async throws {
        try await TestCluster.run(configuration: Self.operators) { cluster in
            let session = try await cluster.first.session()
            let other = try await PlayedNode(at: cluster.first)
            #expect(try await other.get(session.path + "/state").status == 200)
            for path in ["/admin/sessions", "/admin" + session.path] {
                #expect(try await other.get(path).status == 401)
            }
            let deletion = TestRequest("DELETE", "/admin" + session.path)
            #expect(try await other.exchange(deletion).status == 401)
            for path in ["/metrics", "/stores", "/openapi.json", "/"] {
                #expect(try await other.get(path).status == 404)
            }
            #expect(try await other.exchange(TestRequest("POST", "/sessions")).status == 404)
            #expect(try await session.read().status == 200)
        }
    }

    private static let adminToken = "a token of all nodes"
    private static let operators = Configuration.with {
        $0.metrics.port = 0
        $0.admin.token = .init(adminToken)
    }

    @Test func theListForOperatorsNamesTheNodeOfEachSession() async throws {
        try await TestCluster.run(configuration: Self.operators) { cluster in
            let sessions = [try await cluster.first.session(), try await cluster.second.session()]
            for server in [cluster.first, cluster.second] {
                let fields = [("Authorization", "Bearer \(Self.adminToken)")]
                let list = try await server.get("/admin/sessions", fields)
                for (session, owner) in zip(sessions, [cluster.first, cluster.second]) {
                    let index = try #require(
                        (0..<2).first { list.at("/sessions/\($0)/links/self") == .string(session.path) })
                    #expect(list.at("/sessions/\(index)/node") == .string("127.0.0.1:\(owner.port)"))
                }
            }
        }
    }

    @Test func theListForOperatorsIsTheSameAtEachNode() async throws {
        try await TestCluster.run(configuration: Self.operators) { cluster in
            let sessions = [try await cluster.first.session(), try await cluster.second.session()]
            let events = try await sessions[0].events()
            _ = try await events.item()
            for server in [cluster.first, cluster.second] {
                let fields = [("Authorization", "Bearer \(Self.adminToken)")]
                let list = try await server.get("/admin/sessions", fields)
                let documents = (0..<2).compactMap { list.at("/sessions/\($0)") }
                let counts = sessions.map { session in
                    documents.first { $0["links"]?["self"] == .string(session.path) }?["subscribers"]
                }
                #expect(counts == [1, 0])
            }
            #expect(events.head.status == 200)
        }
    }

    @Test func strangersCannotForward() async throws {
        try await TestCluster.run { cluster in
            let session = try await cluster.first.session()
            let fields = [("Storehouse-Node", "127.0.0.1:1 AAAA"), ("Storehouse-Client", "10.0.0.1")]
            let response = try await cluster.first.get(session.path, fields)
            #expect(response.status == 421)
            #expect(response.at("/code") == "misdirected-request")
            // A client's own words about nodes are not passed on.
            let client = [("Storehouse-Client", "10.0.0.1")]
            #expect(try await session.at(cluster.second).read("", client).status == 200)
        }
    }

    @Test func aHeadIsRefusedAboveTheLimitAtEveryNode() async throws {
        let configuration = Configuration.with { $0.http.maxHeaderBytes = 1024 }
        try await TestCluster.run(configuration: configuration) { cluster in
            let session = try await cluster.first.session()
            let fixed = "Host: localhost\r\n\r\n".utf8.count
            for (size, status) in [(1024, 200), (1025, 431), (2000, 431), (3000, 431)] {
                // Many short fields without a blank behind their names.
                let short = String(repeating: "a:\r\n", count: 100)
                let rest = String(repeating: "x", count: size - fixed - short.utf8.count - 4)
                for server in [cluster.first, cluster.second] {
                    let client = try server.client()
                    let fields = "Host: localhost\r\n\(short)X:\(rest)\r\n\r\n"
                    try await client.send("GET \(session.path)/state HTTP/1.1\r\n" + fields)
                    #expect(try await client.response().status == status)
                }
            }
        }
    }
}
