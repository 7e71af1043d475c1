import Foundation
import JSON
import Journal
import Observability
import ProcessTesting
import RedisTesting
import RemoteServices
import ServerWiring
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import StoresTesting

extension LiveServer {
    /// Waits until no more sessions than that are in memory.
    func hibernates(to count: Int) async throws {
        try await waitUntil { running.residentSessions <= count }
    }
}

extension TestAPI {
    /// Lets sessions leave memory until no more than that are in it.
    func hibernates(to count: Int) async throws {
        try await waitUntil {
            api.hibernate()
            return api.residentSessions <= count
        }
    }
}

/// Servers that follow one another on the same file, or on the same Redis.
final class DurableServer: Sendable {
    private let directory: URL
    private let redis: RedisServer?
    var path: String { directory.appending(path: "storehouse.db").path }
    /// The storage as commands of operators name it.
    var name: String { redis.map { "unix://\($0.socket)" } ?? path }
    private static let key = Data(repeating: 7, count: SealingKey.length).base64EncodedString()

    init(onRedis: Bool = false) throws {
        redis = onRedis ? try RedisServer() : nil
        directory = FileManager.default.temporaryDirectory.appending(path: "durable-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// A server on what a crash at this moment would leave of the file.
    func copy() throws -> DurableServer {
        let copy = try DurableServer()
        try DatabaseCopy.make(of: path, at: copy.path)
        return copy
    }

    /// Runs one command of the program on this storage.
    ///
    /// - Parameter settings: the settings of the storage; nil for the key with which sessions on Redis are encrypted.
    func command(_ arguments: [String], settings: JSONValue? = nil) async throws -> ProgramResult {
        let configuration: JSONValue = ["storage": settings ?? (redis == nil ? [:] : ["key": .string(Self.key)])]
        let folder = directory.appending(path: "config")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(configuration.description.utf8).write(to: folder.appending(path: "storehouse.json"))
        return try await Program.run(arguments + ["--storage", name], in: directory.path)
    }

    /// Opens the file. Under load, a server may have left it to be closed after its drain.
    func open(
        _ open: (_ path: String) throws -> SQLiteJournal = { try SQLiteJournal(path: $0) }
    ) async throws -> SQLiteJournal {
        let limit = ContinuousClock.now + .seconds(Wire.waitTimeout)
        while true {
            do {
                return try open(path)
            } catch StorageError.inUse where ContinuousClock.now < limit {
                try await takeBreath()
            }
        }
    }

    /// Serves while `body` runs, then drains and closes the file.
    func run<Result: Sendable>(
        animal: any RemoteClient = ScriptedRemoteClient(), auth: any RemoteClient = ScriptedRemoteClient(),
        kinds: [StoreKind]? = nil, clock: WallClock = WallClock(), configuration: Configuration = .with(),
        sealer: (any SecretSealer)? = nil,
        durability: SQLiteJournal.Durability = .full, vfs: String? = nil,
        _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        let storage = try await storage(configuration, sealer, durability, vfs)
        return try await LiveServer.run(
            animal: animal, auth: auth, kinds: kinds, clock: clock, configuration: storage.configuration,
            journal: storage.journal, sealer: storage.sealer, body)
    }

    /// Answers with an API in memory while `body` runs, then closes the file. Only the storage is real.
    func runAPI<Result: Sendable>(
        animal: any RemoteClient = ScriptedRemoteClient(), auth: any RemoteClient = ScriptedRemoteClient(),
        kinds: [StoreKind]? = nil, clock: WallClock = WallClock(), configuration: Configuration = .with(),
        sealer: (any SecretSealer)? = nil,
        durability: SQLiteJournal.Durability = .full, vfs: String? = nil,
        _ body: (TestAPI) async throws -> Result
    ) async throws -> Result {
        let storage = try await storage(configuration, sealer, durability, vfs)
        return try await TestAPI.run(
            animal: animal, auth: auth, kinds: kinds, clock: clock, configuration: storage.configuration,
            journal: storage.journal, sealer: storage.sealer, body)
    }

    private func storage(
        _ configuration: Configuration, _ sealer: (any SecretSealer)?, _ durability: SQLiteJournal.Durability,
        _ vfs: String?
    ) async throws -> (configuration: Configuration, journal: any Journal, sealer: (any SecretSealer)?) {
        guard let redis else {
            let journal = try await open {
                try SQLiteJournal(
                    path: $0, durability: durability, keepCommits: configuration.storage.keepCommits, vfs: vfs)
            }
            return (configuration, journal, sealer)
        }
        var configuration = configuration
        configuration.storage.kind = .redis
        configuration.storage.redis.url = "unix://\(redis.socket)"
        configuration.storage.key = SealingKey(Self.key)
        configuration.cluster.address = "node:1"
        configuration.cluster.secret = Secret(String(repeating: "s", count: 32))
        configuration.cluster.lease = .seconds(60)
        let journal = try configuration.journal(Log(level: .error, format: .text, sink: LogLines()))
        return (configuration, journal, try configuration.storage.sealer())
    }
}
