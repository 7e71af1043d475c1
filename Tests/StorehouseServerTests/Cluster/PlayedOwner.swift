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

    private static let incarnation = "4711"

    /// Runs a node, and calls `body` with a session at it that belongs to a played node.
    ///
    /// - Parameters:
    ///   - port: that of the played node.
    ///   - waits: how long the node waits for it.
    static func runNode<Result: Sendable>(
        besideOwnerAt port: Int, _ configuration: Configuration = .with(), waits: ClusterWaits = .long,
        body: @Sendable (LiveSession, PlayedOwner) async throws -> Result
    ) async throws -> Result {
        let redis = try RedisServer()
        return try await TestCluster.runNode(on: redis, configuration, waits: waits) { node in
            let path = try await TestCluster.runNode(on: redis) { try await $0.session().path }
            let key = try #require(try redis.execute("KEYS", "{storehouse}:s:*").first)
            try redis.execute("HSET", key, "claim", "\(incarnation) 9")
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
        try redis.execute("HSET", "{storehouse}:nodes", Self.incarnation, "\(moment) \(address)")
    }
}

extension FaultyUpstream {
    /// The owner of a session, which proves itself at the beginning of each connection.
    convenience init(nodeOn port: UInt16, _ script: @escaping Script) throws {
        try self.init(on: port, wires: { PlayedLink(at: $0) }, script)
    }

    /// Always the same steps.
    convenience init(node steps: Step...) throws { try self.init(nodeOn: 0) { _ in steps } }

    /// These answer in turn, the last for all that follow.
    convenience init(nodeInTurn turns: [[Step]]) throws {
        try self.init(nodeOn: 0) { turns[min($0.index, turns.count - 1)] }
    }
}

extension ClusterWaits {
    /// For tests in which nobody is slow but the machine.
    static var long: ClusterWaits {
        var waits = ClusterWaits()
        waits.connection = .seconds(120)
        waits.proof = .seconds(120)
        waits.silence = .seconds(120)
        waits.lists = .seconds(120)
        waits.ownAddress = .seconds(120)
        waits.handover = .seconds(120)
        return waits
    }
}
