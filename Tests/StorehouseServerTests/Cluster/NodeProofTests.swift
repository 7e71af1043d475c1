import Cluster
import FaultyServices
import JSON
import Locks
import RedisTesting
import StorehouseServer
import Testing

/// What nodes prove to each other when they open a connection, and which requests are taken as forwarded.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct NodeProofTests {
    private static let adminToken = "a token of all nodes"
    private static let operators = Configuration.with {
        $0.metrics.port = 0
        $0.admin.token = .init(adminToken)
    }
    private static let client = ("Storehouse-Client", "10.0.0.1")

    private static func run(
        _ configuration: Configuration = .with(), _ body: @Sendable (LiveServer, LiveSession) async throws -> Void
    ) async throws {
        try await TestCluster.runNode(on: try RedisServer(), configuration) { node in
            try await body(node, try await node.session())
        }
    }

    private static func caller(to node: LiveServer, secret: String = TestCluster.secret) throws -> LinkCaller {
        try NodeIdentity(name: PlayedNode.name, secret: Array(secret.utf8)).call("127.0.0.1:\(node.port)")
    }

    @Test func aNodeThatHasProvedItselfForwardsManyRequests() async throws {
        try await Self.run { node, session in
            let other = try await PlayedNode(at: node)
            for _ in 0..<3 { #expect(try await other.get(session.path).status == 200) }
            // The proof goes with the first request only.
            let later = other.fields.filter { $0.0 != "Storehouse-Proof" }
            #expect(try await other.client.exchange(TestRequest("GET", session.path, later)).status == 200)
        }
    }

    @Test func aStrangerGetsNoAnswer() async throws {
        try await Self.run { node, _ in
            let stranger = try Self.caller(to: node, secret: String(repeating: "stranger", count: 4))
            let response = try await node.client().exchange(PlayedNode.hello(stranger))
            #expect(response.status == 421)
            #expect(response.code == "misdirected-request")
            #expect(response["storehouse-node"] == nil)
        }
    }

    @Test(arguments: [
        "hello", "hello ", "hello 1", "hello 2 a b c d", "linked", "hello \(String(repeating: "a", count: 9000))",
    ])
    func nothingElseBeginsAConnection(_ field: String) async throws {
        try await Self.run { node, session in
            let fields = [("Storehouse-Node", field), Self.client]
            let response = try await node.client().exchange(TestRequest("GET", session.path, fields))
            #expect(response.status == 421)
            #expect(response["storehouse-node"] == nil)
        }
    }

    @Test func whoeverHasReadAConnectionCannotRepeatIt() async throws {
        try await Self.run { node, session in
            let caller = try Self.caller(to: node)
            let (genuine, replayed) = (try node.client(), try node.client())
            let answer = try #require(try await genuine.exchange(PlayedNode.hello(caller))["storehouse-node"])
            let fields = [
                ("Storehouse-Node", "linked"), ("Storehouse-Proof", try caller.receive(answer).proof), Self.client,
            ]
            let request = TestRequest(
                "POST", session.path + "/actions", fields, json: ["type": "counter/increment", "payload": ["by": 1]])
            #expect(try await genuine.exchange(request).status == 200)

            let second = try await replayed.exchange(PlayedNode.hello(caller))
            #expect(second["storehouse-node"] != nil)
            #expect(second["storehouse-node"] != answer)
            #expect(try await replayed.exchange(request).status == 421)
            // It has no second attempt.
            #expect(try await replayed.exchange(request).status == 421)
            #expect(try await session.state("/counter/count") == 1)
        }
    }

    @Test func aConnectionWithoutItsProofGivesNoRights() async throws {
        try await Self.run { node, session in
            for proof in [nil, "", String(repeating: "A", count: 43)] {
                let client = try node.client()
                #expect(try await client.exchange(PlayedNode.hello(try Self.caller(to: node))).status == 200)
                var fields = [("Storehouse-Node", "linked"), Self.client]
                if let proof { fields.append(("Storehouse-Proof", proof)) }
                #expect(try await client.exchange(TestRequest("GET", session.path, fields)).status == 421)
            }
        }
    }

    // MARK: The end that opens the connection

    /// Answers of an impostor, which does not have the secret.
    private static let impostors: [(String, @Sendable (String) throws -> FaultyUpstream.Step)] = [
        ("same cluster.secret", { .send(Answer.status(200, "Storehouse-Node: \(try strange($0))")) }),
        ("as a node does", { .send(Answer.status(200, "Storehouse-Node: \($0.dropFirst(6))")) }),
        ("as a node does", { _ in .send(Answer.status(200)) }),
        ("as a node does", { _ in .send(Answer.status(503, body: "{}")) }),
        ("as a node does", { _ in .send("what?\r\n\r\n") }),
        ("as a node does", { .send(Answer.status(200, "Storehouse-Node: \(String(repeating: $0, count: 900))")) }),
        ("version 2 of the protocol", { _ in .send(Answer.status(200, "Storehouse-Node: 2 a b c")) }),
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
            (try? [step(request.field("storehouse-node") ?? "")]) ?? [.close]
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
        let introduction: FaultyUpstream.Introduction = { request, port in
            let isRefused = refused.withLock { count in
                count += 1
                return count <= 2
            }
            if isRefused { return [.send(Answer.status(421, body: "{}"))] }
            let answer = try? PlayedOwner.introduction(request.field("storehouse-node"), at: Int(port))
            return answer.map { [.send($0)] }
        }
        let owner = try FaultyUpstream(introduction: introduction) { _ in [.send(Answer.status(200, body: "{}"))] }
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port)) { session, _ in
            let response = try await session.increment()
            #expect(response.status == 200)
            #expect(owner.record.connections == 3)
            #expect(owner.record.requests.count == 1)
            #expect(!session.server.log.text.contains("a node does not answer"))
        }
    }

    // MARK: Operators

    private static func right(
        _ caller: inout CalledLink, _ method: String, _ path: String
    ) throws -> (String, String) {
        let right = caller.right(for: SignedRequest(method: method, target: path, body: []))
        return ("Storehouse-Right", try #require(right))
    }

    /// A connection to a node, and this end of it.
    private static func link(to node: LiveServer) async throws -> (CalledLink, TestClient, [(String, String)]) {
        let (caller, client) = (try caller(to: node), try node.client())
        let answer = try #require(try await client.exchange(PlayedNode.hello(caller))["storehouse-node"])
        let (link, proof) = try caller.receive(answer)
        return (link, client, [("Storehouse-Node", "linked"), ("Storehouse-Proof", proof), Self.client])
    }

    @Test func theRightOfAnOperatorIsForOneRequestOfOneConnection() async throws {
        try await Self.run(Self.operators) { node, session in
            var (link, client, fields) = try await Self.link(to: node)
            let path = "/admin" + session.path
            let right = try Self.right(&link, "GET", path)
            for request in [
                TestRequest("GET", "/admin/sessions", fields + [right]), TestRequest("DELETE", path, fields + [right]),
                TestRequest("GET", path, fields + [("Storehouse-Right", "1 \(String(repeating: "A", count: 43))")]),
            ] {
                #expect(try await client.exchange(request).status == 401)
            }
            #expect(try await client.exchange(TestRequest("GET", path, fields + [right])).status == 200)
            // Repeated, here and elsewhere.
            #expect(try await client.exchange(TestRequest("GET", path, fields + [right])).status == 401)
            let (_, other, others) = try await Self.link(to: node)
            #expect(try await other.exchange(TestRequest("GET", path, others + [right])).status == 401)
            #expect(try await node.get(path, [right]).status == 401)
            let next = try Self.right(&link, "DELETE", path)
            #expect(try await client.exchange(TestRequest("DELETE", path, fields + [next])).status == 204)
            #expect(try await session.read().status == 410)
        }
    }

    @Test func aNodeWhoseAdministrationIsOffTakesNoRight() async throws {
        try await Self.run { node, session in
            var (link, client, fields) = try await Self.link(to: node)
            let right = try Self.right(&link, "GET", "/admin" + session.path)
            #expect(
                try await client.exchange(TestRequest("GET", "/admin" + session.path, fields + [right])).status == 404)
        }
    }

    @Test(arguments: [2, 3])
    func theTokenOfAnOperatorTravelsToNodesOfEarlierReleasesOnly(_ release: Int) async throws {
        let owner = try FaultyUpstream(node: .send(Answer.status(200, body: "{}")))
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port), Self.operators, release: release) { session, _ in
            // It learns from Redis how the owner proves itself.
            try await session.server.log.line(with: "a node has joined node=127.0.0.1:\(owner.port)")
            let fields = [("Authorization", "Bearer \(Self.adminToken)")]
            #expect(try await session.server.get("/admin" + session.path, fields).status == 200)
            let request = try #require(owner.record.requests.first)
            #expect((request.field("authorization") != nil) == (release == 2))
            #expect((request.field("storehouse-right") != nil) == (release == 3))
            // Those of a client travel as they are.
            #expect(try await session.server.get(session.path, [("Authorization", "Bearer mine")]).status == 200)
            #expect(owner.record.requests.last?.field("authorization") == "Bearer mine")
            #expect(owner.record.requests.last?.field("storehouse-right") == nil)
        }
    }

    // MARK: Earlier releases

    @Test(arguments: [1, 2])
    func aNodeOfAnEarlierReleaseGetsTheProofThatItKnows(_ release: Int) async throws {
        let owner = try FaultyUpstream(node: .send(Answer.status(200, body: "{}")))
        try await PlayedOwner.runNode(besideOwnerAt: Int(owner.port), release: release) { session, _ in
            // It learns from Redis how the owner proves itself.
            try await session.server.log.line(with: "a node has joined node=127.0.0.1:\(owner.port)")
            #expect(try await session.read().status == 200)
            let request = try #require(owner.record.requests.first)
            let words = request.field("storehouse-node")?.split(separator: " ") ?? []
            #expect(words.first == "127.0.0.1:\(session.liveServer.port)")
            #expect(words.count == release + 1)
        }
    }
}
