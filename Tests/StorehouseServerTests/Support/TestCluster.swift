import Foundation
import JSON
import Journal
import Locks
import Platform
import RedisTesting
import RemoteServices
import Sealing
import Sockets
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting
import Testing

/// Two nodes on one Redis, for as long as a test runs.
struct TestCluster: Sendable {
    let redis: RedisServer
    let first: LiveServer
    let second: LiveServer

    static func run<Result: Sendable>(
        animal: any RemoteClient = ScriptedRemoteClient(), kinds: [StoreKind]? = nil,
        configuration: Configuration = .with(),
        _ body: @Sendable (TestCluster) async throws -> Result
    ) async throws -> Result {
        let redis = try RedisServer()
        return try await runNode(on: redis, configuration, animal: animal, kinds: kinds) { first in
            try await runNode(on: redis, configuration, animal: animal, kinds: kinds) { second in
                try await body(TestCluster(redis: redis, first: first, second: second))
            }
        }
    }

    /// Makes Redis forget the nodes, so that they begin other lives and have no sessions any more.
    func forgetLives() throws { try redis.execute("DEL", "{storehouse}:nodes") }

    static let secret = String(repeating: "cluster-", count: 4)

    /// The fields with which another node, where nothing listens, forwards a request to the node at a port.
    static func fieldsOfAnotherNode(to port: Int) -> [(String, String)] {
        let other = NodeIdentity(name: "127.0.0.1:2", secret: Array(secret.utf8))
        return [("Storehouse-Node", other.credentials(for: "127.0.0.1:\(port)")), ("Storehouse-Client", "10.0.0.1")]
    }

    /// Serves as a node until `body` returns.
    ///
    /// - Parameter advertised: the port where other nodes look for it; nil for its own.
    static func runNode<Result: Sendable>(
        on redis: RedisServer, _ configuration: Configuration = .with(),
        animal: any RemoteClient = ScriptedRemoteClient(), kinds: [StoreKind]? = nil,
        reachedAt advertised: Int? = nil,
        _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        var attempts = 0
        while true {
            do {
                return try await runNode(
                    on: redis, port: freePort(), configuration, animal: animal, kinds: kinds, reachedAt: advertised,
                    body)
            } catch {
                // Another process may have taken the port meanwhile.
                attempts += 1
                guard isTakenPort(error), attempts < 10 else { throw error }
            }
        }
    }

    private static func runNode<Result: Sendable>(
        on redis: RedisServer, port: Int, _ configuration: Configuration, animal: any RemoteClient,
        kinds: [StoreKind]?, reachedAt advertised: Int?, _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration.http.port = port
        configuration.storage.kind = .redis
        configuration.storage.key = SealingKey(Data(repeating: 7, count: SealingKey.length).base64EncodedString())
        configuration.cluster.address = "127.0.0.1:\(advertised ?? port)"
        configuration.cluster.secret = Secret(secret)
        let sealer = try AESSealer(key: [UInt8](repeating: 7, count: SealingKey.length))
        let journal = try RedisJournal(
            try RedisAddress("unix://\(redis.socket)"), sealer: sealer, node: configuration.cluster.address,
            secret: secret, lease: configuration.cluster.lease)
        do {
            return try await LiveServer.run(
                animal: animal, kinds: kinds, configuration: configuration, journal: journal, sealer: sealer, body)
        } catch let error where isTakenPort(error) {
            await withCheckedContinuation { done in journal.close { done.resume() } }
            throw error
        }
    }

    /// Whether a server could not start because another one listens on its port.
    static func isTakenPort(_ error: any Error) -> Bool { "\(error)".hasPrefix("cannot listen on") }

    /// Runs a node, and calls `body` with a session at it that belongs to a node which the test plays. That node renews its lease no
    /// more.
    ///
    /// - Parameters:
    ///   - port: that of the other node.
    ///   - lease: in milliseconds.
    static func runNode(
        besideOwnerAt port: Int, lease: Int = 30_000,
        _ configuration: Configuration = .with { $0.cluster.lease = .seconds(1) },
        body: @Sendable (LiveSession) async throws -> Void
    ) async throws {
        let redis = try RedisServer()
        try await runNode(on: redis, configuration) { node in
            let path = try await runNode(on: redis) { try await $0.session().path }
            let key = try #require(try redis.execute("KEYS", "{storehouse}:s:*").first)
            try redis.execute("HSET", key, "claim", "4711 9")
            // This comes last, because the lease may be short.
            try redis.execute("HSET", "{storehouse}:nodes", "4711", "\(systemTime() + lease) 127.0.0.1:\(port)")
            try await body(LiveSession(server: node, path: path))
        }
    }

    // Guards the ports that tests of this process have.
    private static let givenPorts = Locked(Set<Int>())

    /// A port that was free a moment ago, that no other test is given, and the system to no outgoing connection.
    static func freePort() throws -> Int {
        while true {
            let port = Int.random(in: 12_000..<32_000)
            guard givenPorts.withLock({ $0.insert(port).inserted }) else { continue }
            let address = try SocketAddress(host: "127.0.0.1", port: UInt16(port))
            guard let socket = try? ListeningSocket.open(address, count: 1)[0] else { continue }
            socket.close()
            return port
        }
    }
}

extension LiveSession {
    /// The same session at another node.
    func at(_ server: LiveServer) -> LiveSession { LiveSession(server: server, path: path) }
}
