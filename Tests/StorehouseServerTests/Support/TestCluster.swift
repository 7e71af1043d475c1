import Cluster
import Foundation
import JSON
import Journal
import Locks
import Platform
import RedisJournal
import RedisTesting
import RemoteServices
import Security
import Sessions
import Sockets
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting
import Testing
import Threads

/// Two nodes on one Redis, for as long as a test runs.
struct TestCluster: Sendable {
    let redis: RedisServer
    let first: LiveServer
    let second: LiveServer

    static func run<Result: Sendable>(
        animal: any RemoteClient = ScriptedRemoteClient(), kinds: [StoreKind]? = nil,
        configuration: Configuration = .with(), clock: WallClock = WallClock(), waits: ClusterWaits = .long,
        timeouts: RedisTimeouts = .long,
        _ body: @Sendable (TestCluster) async throws -> Result
    ) async throws -> Result {
        let redis = try RedisServer()
        return try await runNode(
            on: redis, configuration, animal: animal, kinds: kinds, clock: clock, waits: waits, timeouts: timeouts
        ) { first in
            try await runNode(
                on: redis, configuration, animal: animal, kinds: kinds, clock: clock, waits: waits, timeouts: timeouts
            ) { second in
                try await body(TestCluster(redis: redis, first: first, second: second))
            }
        }
    }

    /// Makes Redis forget the nodes, so that they begin other incarnations and have no sessions any more.
    func forgetIncarnations() throws { try redis.execute("DEL", "{storehouse}:nodes") }

    static let secret = String(repeating: "cluster-", count: 4)

    /// Serves as a node until `body` returns.
    ///
    /// - Parameters:
    ///   - waits: how long it waits for other nodes.
    ///   - timeouts: how long it waits for Redis.
    ///   - advertised: the port where other nodes look for it; nil for its own.
    ///   - wall: the clock of its machine, which Redis corrects; nil for one that Redis does not correct.
    static func runNode<Result: Sendable>(
        on redis: RedisServer, _ configuration: Configuration = .with(),
        animal: any RemoteClient = ScriptedRemoteClient(), kinds: [StoreKind]? = nil,
        clock: WallClock = WallClock(), waits: ClusterWaits = .long, timeouts: RedisTimeouts = .long,
        reachedAt advertised: Int? = nil, wall: (@Sendable () -> Int)? = nil,
        _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        var attempts = 0
        while true {
            do {
                return try await runNode(
                    on: redis, port: freePort(), configuration, animal: animal, kinds: kinds, clock: clock,
                    waits: waits, timeouts: timeouts, reachedAt: advertised, wall: wall, body)
            } catch {
                // Another process may have taken the port meanwhile.
                attempts += 1
                guard isTakenPort(error), attempts < 10 else { throw error }
            }
        }
    }

    private static func runNode<Result: Sendable>(
        on redis: RedisServer, port: Int, _ configuration: Configuration, animal: any RemoteClient,
        kinds: [StoreKind]?, clock: WallClock, waits: ClusterWaits, timeouts: RedisTimeouts,
        reachedAt advertised: Int?, wall: (@Sendable () -> Int)?, _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration.http.port = port
        configuration.storage.kind = .redis
        configuration.storage.key = SealingKey(Data(repeating: 7, count: SealingKey.length).base64EncodedString())
        configuration.cluster.address = "127.0.0.1:\(advertised ?? port)"
        configuration.cluster.secret = Secret(secret)
        configuration.cluster.waits = waits
        let sealer = try AESSealer(key: [UInt8](repeating: 7, count: SealingKey.length))
        // No test waits for the end of its own lease. What the configuration says of leases sets other times, too.
        let journal = try RedisJournal(
            RedisAddress("unix://\(redis.socket)"), prefix: "storehouse", durability: .full, replicas: 0,
            keepCommits: 1000, keepBytes: 64 << 20, sealer: sealer, node: configuration.cluster.address,
            secret: secret, lease: .seconds(3600), waitTimeout: .seconds(120), timeouts: timeouts,
            now: wall == nil ? systemTime : nil, wall: wall ?? systemTime, report: { _ in })
        do {
            return try await LiveServer.run(
                animal: animal, kinds: kinds, clock: wall.map { WallClock(now: $0) } ?? clock,
                configuration: configuration, journal: journal, sealer: sealer, body)
        } catch let error where isTakenPort(error) {
            await journal.close()
            throw error
        }
    }

    /// Whether a server could not start because another one listens on its port.
    static func isTakenPort(_ error: any Error) -> Bool { "\(error)".hasPrefix("cannot listen on") }

    // Guards the ports that tests of this process have.
    private static let givenPorts = Locked(Set<Int>())

    /// A port that was free a moment ago, that no other test is given, and the system to no outgoing connection.
    static func freePort() throws -> Int {
        while true {
            // The tests take others for Redis.
            let port = Int.random(in: 12_000..<20_000)
            guard givenPorts.withLock({ $0.insert(port).inserted }) else { continue }
            let address = try SocketAddress(host: "127.0.0.1", port: UInt16(port))
            guard let socket = try? ListeningSocket.open(address, count: 1)[0] else { continue }
            socket.close()
            return port
        }
    }
}

extension LiveSession {
    /// This session at another node.
    func at(_ server: LiveServer) -> LiveSession { LiveSession(server: server, path: path) }
}

extension RedisTimeouts {
    /// For tests in which Redis answers always, however slow the machine is.
    static var long: RedisTimeouts {
        RedisTimeouts(reply: .seconds(120), readTimeout: .seconds(120), exchange: .seconds(120))
    }
}
