import Foundation
import Journal
import RedisTesting
import Sealing
import StoreHosting
import Stores

extension RedisServer {
    static let sealer = try? AESSealer(key: [UInt8](repeating: 7, count: AESSealer.keyLength))

    func open(
        _ durability: RedisJournal.Durability = .full, replicas: Int = 0, keepCommits: Int = 1000,
        keepBytes: Int = 64 << 20, sealer: (any SecretSealer)? = sealer, node: String? = nil,
        lease: Duration = .seconds(1),
        now: @escaping @Sendable () -> Int = { Step.moment },
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws -> RedisJournal {
        guard let sealer else { throw Missing(id: "sealer") }
        // The server stays as long as the journal does.
        return try RedisJournal(
            RedisAddress("unix://\(socket)"), durability: durability, replicas: replicas, keepCommits: keepCommits,
            keepBytes: keepBytes, sealer: sealer, node: node, lease: lease, now: { withExtendedLifetime(self, now) },
            report: report
        )
    }
}

/// The storages that outlive a process.
enum DurableStorage: CaseIterable, Sendable {
    case sqlite, redis

    func make() throws -> any OpenableStorage {
        switch self {
        case .sqlite: try JournalFile()
        case .redis: try RedisServer()
        }
    }
}

/// A storage that a journal can be opened on, one at a time.
protocol OpenableStorage: Sendable {
    func openJournal(isRelaxed: Bool) throws -> any Journal

    /// The storage as a crash would leave it while a journal is open, which is of no use afterwards.
    func crash(_ journal: any Journal) async throws -> any OpenableStorage

    /// What is wrong with what is stored.
    func problems() throws -> [String]
}

extension OpenableStorage {
    func openJournal() throws -> any Journal { try openJournal(isRelaxed: false) }
}

extension JournalFile: OpenableStorage {
    func openJournal(isRelaxed: Bool) throws -> any Journal {
        // With relaxed durability commits are sorted a second later or at the end, with full durability between others.
        try isRelaxed ? open(.relaxed) : open(.full, sorting: SortingPolicy(maxBytes: 0))
    }

    func crash(_ journal: any Journal) async throws -> any OpenableStorage { try copy() }

    func problems() throws -> [String] { try SQLiteStorage.verify(path).problems }
}

extension RedisServer: OpenableStorage {
    func openJournal(isRelaxed: Bool) throws -> any Journal { try open(isRelaxed ? .relaxed : .full) }

    func crash(_ journal: any Journal) async throws -> any OpenableStorage {
        kill()
        try start()
        await journal.closed()
        // The next journal would wait for the end of the lease.
        try execute("DEL", "{test}:nodes")
        return self
    }

    func problems() throws -> [String] { try reading { try $0.verify().problems } }

    /// Calls `body` with the storage while no journal is open on it, or while it only reads.
    func reading<Value>(isExclusive: Bool = false, _ body: (RedisStorage) throws -> Value) throws -> Value {
        guard let sealer = Self.sealer else { throw Missing(id: "sealer") }
        let storage = try RedisStorage(
            RedisAddress("unix://\(socket)"), prefix: "test", durability: .full, sealer: sealer,
            isExclusive: isExclusive)
        defer { storage.close() }
        return try body(storage)
    }
}
