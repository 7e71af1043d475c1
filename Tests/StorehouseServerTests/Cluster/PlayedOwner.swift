import Cluster
import FaultyServices
import Platform
import RedisTesting
import StorehouseServer
import Testing

/// A node that a test plays. It is the owner of a session, and its lease holds until the test ends it.
struct PlayedOwner: Sendable {
    private let redis: RedisServer
    private let address: String

    private static let life = "4711"

    /// Runs a node, and calls `body` with a session at it that belongs to a played node.
    ///
    /// - Parameters:
    ///   - port: that of the played node.
    ///   - release: how it proves itself to other nodes.
    ///   - waits: how long the node waits for it.
    static func runNode<Result: Sendable>(
        besideOwnerAt port: Int, _ configuration: Configuration = .with(), release: Int = 3,
        waits: ClusterWaits = .long,
        body: @Sendable (LiveSession, PlayedOwner) async throws -> Result
    ) async throws -> Result {
        let redis = try RedisServer()
        return try await TestCluster.runNode(on: redis, configuration, waits: waits) { node in
            let path = try await TestCluster.runNode(on: redis) { try await $0.session().path }
            let key = try #require(try redis.execute("KEYS", "{storehouse}:s:*").first)
            try redis.execute("HSET", key, "claim", "\(life) 9")
            try redis.execute("HSET", "{storehouse}:releases", life, "\(release)")
            let owner = PlayedOwner(redis: redis, address: "127.0.0.1:\(port)")
            try owner.setEnd(systemTime() + 3_600_000)
            return try await body(LiveSession(server: node, path: path), owner)
        }
    }

    /// Ends the lease, as if the node had died some time ago.
    ///
    /// - Parameter node: has learned before that the owner is there, and learns now that it is gone.
    func end(at node: LiveServer) async throws {
        try await node.log.line(with: "a node has joined node=\(address)")
        try setEnd(1)
    }

    private func setEnd(_ moment: Int) throws {
        try redis.execute("HSET", "{storehouse}:nodes", Self.life, "\(moment) \(address)")
    }
}

extension PlayedOwner {
    /// The response to the request that begins a connection; nil to any other request.
    ///
    /// - Parameter field: the field `Storehouse-Node` of the request.
    static func introduction(
        _ field: String?, at port: Int, secret: String = TestCluster.secret
    ) throws -> String? {
        let word = "hello "
        guard let field, field.hasPrefix(word) else { return nil }
        let identity = NodeIdentity(name: "127.0.0.1:\(port)", secret: Array(secret.utf8))
        let answerer = try identity.answer(String(field.dropFirst(word.count)))
        return Answer.status(200, "Storehouse-Node: \(answerer.answer)")
    }
}

extension FaultyUpstream {
    /// The owner of a session, which proves itself at the beginning of each connection.
    convenience init(nodeOn port: UInt16, _ script: @escaping Script) throws {
        try self.init(
            on: port,
            introduction: { request, port in
                do {
                    return try PlayedOwner.introduction(request.field("storehouse-node"), at: Int(port)).map {
                        [.send($0)]
                    }
                } catch {
                    return [.send(Answer.status(421))]
                }
            }, script)
    }

    /// Always the same steps.
    convenience init(node steps: Step...) throws { try self.init(nodeOn: 0) { _ in steps } }

    /// These answer in turn, the last for all that follow.
    convenience init(nodeInTurn turns: [[Step]]) throws {
        try self.init(nodeOn: 0) { turns[min($0.index, turns.count - 1)] }
    }
}

/// A connection to a node, of another node that a test plays and where nothing listens.
struct PlayedNode: Sendable {
    static let name = "127.0.0.1:2"

    let client: TestClient
    /// Those with which it forwards a request.
    let fields: [(String, String)]

    /// Connects, and proves itself with the first request.
    ///
    /// - Parameter port: where other nodes look for the node; nil for its own.
    init(at server: LiveServer, reachedAt port: Int? = nil, secret: String = TestCluster.secret) async throws {
        client = try server.client()
        let identity = NodeIdentity(name: Self.name, secret: Array(secret.utf8))
        let caller = try identity.call("127.0.0.1:\(port ?? server.port)")
        let response = try await client.exchange(Self.hello(caller))
        let (_, proof) = try caller.receive(try #require(response["storehouse-node"]))
        fields = [("Storehouse-Node", "linked"), ("Storehouse-Proof", proof), ("Storehouse-Client", "10.0.0.1")]
    }

    static func hello(_ caller: LinkCaller) -> TestRequest {
        TestRequest("OPTIONS", "*", [("Storehouse-Node", "hello \(caller.hello)")])
    }

    func request(_ method: String, _ path: String, _ others: [(String, String)] = []) -> TestRequest {
        TestRequest(method, path, fields + others)
    }

    func get(_ path: String, _ others: [(String, String)] = []) async throws -> TestResponse {
        try await client.exchange(request("GET", path, others))
    }
}

extension ClusterWaits {
    /// For tests in which nobody is slow but the machine.
    static var long: ClusterWaits {
        var waits = ClusterWaits()
        waits.connection = .seconds(120)
        waits.proof = .seconds(120)
        waits.agreement = .seconds(120)
        waits.sharedStream = .seconds(120)
        waits.lists = .seconds(120)
        waits.ownAddress = .seconds(120)
        waits.handover = .seconds(120)
        return waits
    }
}
