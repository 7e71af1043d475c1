import Cluster
import FaultyServices
import JSON
import Locks
import RedisTesting
import StorehouseServer
import Testing

/// The proof of nodes to each other when they open a connection, and the requests that are taken as forwarded.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct NodeProofTests {
    private static let adminToken = "a token of all nodes"
    private static let operators = Configuration.with {
        $0.metrics.port = 0
        $0.admin.token = .init(adminToken)
    }

    private static func run(
        _ configuration: Configuration = .with(), _ body: @Sendable (LiveServer, LiveSession) async throws -> Void
    ) async throws {
        try await TestCluster.runNode(on: try RedisServer(), configuration) { node in
            try await body(node, try await node.session())
        }
    }

    private static func caller(to node: LiveServer, secret: String = TestCluster.secret) throws -> LinkCaller {
        try PlayedNode.caller(to: node.port, secret: secret)
    }

    @Test func aNodeThatHasProvedItselfForwardsManyRequests() async throws {
        try await Self.run { node, session in
            let other = try await PlayedNode(at: node)
            for _ in 0..<3 { #expect(try await other.get(session.path).status == 200) }
        }
    }

    @Test func aStrangerGetsNoAnswer() async throws {
        try await Self.run { node, _ in
            let stranger = try Self.caller(to: node, secret: String(repeating: "stranger", count: 4))
            let response = try await node.client().exchange(PlayedNode.hello(stranger.hello))
            #expect(response.status == 421)
            #expect(response.code == "misdirected-request")
            #expect(response["storehouse-link"] == nil)
            // Its operator is told once, and what to do.
            _ = try await node.client().exchange(PlayedNode.hello(stranger.hello))
            let lines = node.log.text.split(separator: "\n").filter { $0.contains("a node was refused") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("address=127.0.0.1") == true, "\(lines)")
            #expect(lines.first?.contains("give all nodes one cluster.secret") == true, "\(lines)")
        }
    }

    @Test(arguments: ["", "1", "2 a b c d", "hello", String(repeating: "a", count: 9000)])
    func nothingElseBeginsAConnection(_ hello: String) async throws {
        try await Self.run { node, session in
            let response = try await node.client().exchange(PlayedNode.hello(hello))
            #expect(response.status == 421)
            #expect(response["storehouse-link"] == nil)
        }
    }

    /// The connection that asks with this hello, and the answer.
    private static func greet(
        _ node: LiveServer, _ hello: String
    ) async throws -> (client: TestClient, answer: String) {
        let client = try node.client()
        try await client.send(PlayedNode.hello(hello).bytes)
        let response = try await client.head()
        #expect(response.status == 101)
        return (client, try #require(response["storehouse-link"]))
    }

    @Test func whoeverHasReadAConnectionCannotRepeatIt() async throws {
        try await Self.run { node, session in
            let caller = try Self.caller(to: node)
            let genuine = try await Self.greet(node, caller.hello)
            let proof = LinkFrame.proof(try caller.receive(genuine.answer).proof)
            let request = try await PlayedNode(at: node).frame(
                TestRequest("POST", session.path + "/actions", json: ["type": "counter/increment"])
            ).bytes
            try await genuine.client.send(proof + request)
            _ = try await genuine.client.some()
            #expect(try await session.state("/counter/count") == 1)

            let second = try await Self.greet(node, caller.hello)
            #expect(second.answer != genuine.answer)
            try await second.client.send(proof + request)
            #expect(try await second.client.rest().isEmpty)
            #expect(try await session.state("/counter/count") == 1)
        }
    }

    @Test(arguments: ["", String(repeating: "A", count: 43), String(repeating: "A", count: 5000)])
    func aConnectionWithoutItsProofIsClosed(_ proof: String) async throws {
        try await Self.run { node, session in
            let request = try await PlayedNode(at: node).frame(TestRequest("GET", session.path)).bytes
            for frames in [LinkFrame.proof(proof) + request, request] {
                let (client, _) = try await Self.greet(node, try Self.caller(to: node).hello)
                try await client.send(frames)
                #expect(try await client.rest().isEmpty)
            }
        }
    }

    @Test func whoeverDoesNotProveItselfInTimeIsDisconnected() async throws {
        var waits = ClusterWaits.long
        waits.proof = .milliseconds(100)
        try await TestCluster.runNode(on: try RedisServer(), waits: waits) { node in
            let (client, _) = try await Self.greet(node, try Self.caller(to: node).hello)
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test func aConnectionWithOtherBytesThanFramesIsClosed() async throws {
        try await Self.run { node, session in
            let other = try await PlayedNode(at: node)
            #expect(try await other.get(session.path).status == 200)
            try await other.client.send("GET \(session.path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await other.client.rest().isEmpty)
        }
    }

    // MARK: The end that opens the connection

    /// Answers of an impostor, which does not have the secret.
    private static let impostors: [(String, @Sendable (String) throws -> FaultyUpstream.Step)] = [
        ("same cluster.secret", { .send(PlayedLink.agreement(try strange($0))) }),
        ("as a node does", { .send(PlayedLink.agreement($0)) }),
        ("as a node does", { _ in .send("HTTP/1.1 101 Switching Protocols\r\n\r\n") }),
        ("as a node does", { _ in .send(Answer.status(200, "Storehouse-Link: a")) }),
        ("as a node does", { _ in .send(Answer.status(503, body: "{}")) }),
        ("as a node does", { _ in .send("what?\r\n\r\n") }),
        ("as a node does", { _ in .send(String(repeating: "a", count: 9000)) }),
        ("as a node does", { .send(PlayedLink.agreement(String(repeating: $0, count: 9))) }),
        ("version 2 of the protocol", { _ in .send(PlayedLink.agreement("2 a b c")) }),
        ("closed the connection", { _ in .close }),
        ("no answer", { _ in .hang }),
    ]

    private static func strange(_ hello: String) throws -> String {
        let secret = Array(String(repeating: "stranger", count: 4).utf8)
        let identity = NodeIdentity(name: PlayedNode.name, secret: secret)
        return try identity.answer(try identity.call(PlayedNode.name).hello).answer
    }

    /// Nothing is sent to an impostor but the hello, and that is worth nothing elsewhere.
    @Test(arguments: impostors.indices)
    func anImpostorGetsNoRequest(_ index: Int) async throws {
        let (reason, step) = Self.impostors[index]
        let impostor = try FaultyUpstream { request in
            (try? [step(PlayedLink.hello(in: request.head))]) ?? [.close]
        }
        let configuration = Configuration.with { $0.cluster.lease = .seconds(1) }
        var waits = ClusterWaits.long
        waits.proof = .milliseconds(200)
        try await PlayedOwner.runNode(besideOwnerAt: Int(impostor.port), configuration, waits: waits) { session, _ in
            let response = try await session.increment()
            #expect(response.status == 503)
            #expect(response.code == "storage-unavailable")
            try await waitUntil {
                _ = try await session.increment()
                return session.server.log.text.contains("a node does not answer")
            }
            let line = session.server.log.text.split(separator: "\n").first { $0.contains("a node does not answer") }
            #expect(line?.contains("node=127.0.0.1:\(impostor.port)") == true)
            #expect(line?.contains(reason) == true, "\(line ?? "")")
            #expect(impostor.record.requests.allSatisfy { $0.line == "OPTIONS * HTTP/1.1" && $0.body.isEmpty })
            #expect(impostor.record.requests.allSatisfy { !$0.head.contains(session.path) })
        }
    }

    /// For example because it drains.
    @Test func aRequestIsRepeatedIfTheOwnerRefusesTheConnection() async throws {
        let refused = Locked(0)
        let ok = FaultyUpstream.Step.send(Answer.status(200, body: "{}"))
        let wires: FaultyUpstream.Wires = { port in
            let count = refused.withLock { count in
                count += 1
                return count
            }
            let secret = count <= 2 ? String(repeating: "stranger", count: 4) : TestCluster.secret
            return PlayedLink(at: port, secret: secret)
        }
        let owner = try FaultyUpstream(on: 0, wires: wires) { _ in [ok] }
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port)) { session, _ in
            let response = try await session.increment()
            #expect(response.status == 200)
            #expect(owner.record.connections == 3)
            #expect(owner.record.requests.count == 1)
            #expect(!session.server.log.text.contains("a node does not answer"))
        }
    }

    // MARK: Operators

    @Test func theRightOfAnOperatorIsForOneRequestOfOneConnection() async throws {
        try await Self.run(Self.operators) { node, session in
            let other = try await PlayedNode(at: node)
            let path = "/admin" + session.path
            let right = try other.right("GET", path)
            for (request, right) in [
                (TestRequest("GET", "/admin/sessions"), right), (TestRequest("DELETE", path), right),
                (TestRequest("GET", path), "1 \(String(repeating: "A", count: 43))"),
            ] {
                #expect(try await other.exchange(request, right: right).status == 401)
            }
            #expect(try await other.exchange(TestRequest("GET", path), right: right).status == 200)
            // Repeated, here and elsewhere.
            #expect(try await other.exchange(TestRequest("GET", path), right: right).status == 401)
            let third = try await PlayedNode(at: node)
            #expect(try await third.exchange(TestRequest("GET", path), right: right).status == 401)
            let next = try other.right("DELETE", path)
            // The right is known before the body has come, so it is for a request without one.
            var deletion = TestRequest("DELETE", path)
            deletion.body = [0x20]
            #expect(try await other.exchange(deletion, right: next).status == 401)
            deletion = TestRequest("DELETE", path, [("If-Match", "\"0\"")])
            #expect(try await other.exchange(deletion, right: next).status == 401)
            #expect(try await other.exchange(TestRequest("DELETE", path), right: next).status == 204)
            #expect(try await session.read().status == 410)
        }
    }

    @Test func aNodeWhoseAdministrationIsOffTakesNoRight() async throws {
        try await Self.run { node, session in
            let other = try await PlayedNode(at: node)
            let path = "/admin" + session.path
            let right = try other.right("GET", path)
            #expect(try await other.exchange(TestRequest("GET", path), right: right).status == 404)
        }
    }

    @Test func theTokenOfAnOperatorDoesNotTravel() async throws {
        let owner = try FaultyUpstream(node: .send(Answer.status(200, body: "{}")))
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port), Self.operators) { session, _ in
            let fields = [("Authorization", "Bearer \(Self.adminToken)")]
            #expect(try await session.server.get("/admin" + session.path, fields).status == 200)
            let request = try #require(owner.record.requests.first)
            #expect(request.field("authorization") == nil)
            #expect(request.field("storehouse-right") != nil)
            // The credentials of a client travel as they are.
            #expect(try await session.server.get(session.path, [("Authorization", "Bearer mine")]).status == 200)
            #expect(owner.record.requests.last?.field("authorization") == "Bearer mine")
            #expect(owner.record.requests.last?.field("storehouse-right") == nil)
        }
    }
}
