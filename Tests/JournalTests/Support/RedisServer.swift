import Foundation
import Journal
import Platform
import RedisJournal
import RedisTesting
import Security
import StoreHosting
import Stores

extension RedisTimeouts {
    /// For tests in which Redis answers always, however slow the machine is.
    static let long = RedisTimeouts(reply: .seconds(120), readTimeout: .seconds(120), exchange: .seconds(120))
    /// For tests in which Redis stands still until the journal gives up.
    static let short = RedisTimeouts()
}

extension RedisServer {
    static let sealer = try? AESSealer(key: [UInt8](repeating: 7, count: AESSealer.keyLength))

    func open(
        at address: RedisAddress? = nil, _ durability: RedisJournal.Durability = .full, replicas: Int = 0,
        keepCommits: Int = 1000, keepBytes: Int = 64 << 20, sealer: (any SecretSealer)? = sealer,
        node: String = "node:1",
        secret: String = "a secret of all nodes", lease: Duration = .seconds(60),
        waitTimeout: Duration = .seconds(120), timeouts: RedisTimeouts = .long,
        settingsAre origin: RedisJournal.SettingsOrigin = .checked,
        now: (@Sendable () -> Int)? = { Step.moment }, wall: @escaping @Sendable () -> Int = systemTime,
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws -> RedisJournal {
        guard let sealer else { throw Missing(id: "sealer") }
        // The server stays as long as the journal does.
        return try RedisJournal(
            address ?? RedisAddress("unix://\(socket)"), prefix: "test", durability: durability,
            replicas: replicas,
            keepCommits: keepCommits, keepBytes: keepBytes, sealer: sealer, node: node, secret: secret, lease: lease,
            waitTimeout: waitTimeout, timeouts: timeouts, settingsAre: origin, now: now,
            wall: { withExtendedLifetime(self, wall) }, report: report)
    }
}

/// Waits until 20 more transactions were committed at the nodes together, whatever happens to Redis.
func awaitCommits(at nodes: [RedisJournal]) async throws {
    let count = { nodes.reduce(0) { $0 + $1.transactionCount } }
    let wanted = count() + 20
    try await eventually { count() >= wanted }
}

/// The events of a storage, which a test can wait for.
struct StorageEvents: Sendable {
    private let stream: AsyncStream<StorageEvent>
    let report: @Sendable (StorageEvent) -> Void

    init() {
        let (stream, next) = AsyncStream.makeStream(of: StorageEvent.self)
        self.stream = stream
        report = { next.yield($0) }
    }

    /// Waits for an event.
    func wait(_ isAwaited: (StorageEvent) -> Bool) async throws {
        for await event in stream where isAwaited(event) { return }
        throw Missing(id: "event")
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

    /// The problems that a check of the stored data finds.
    func problems() throws -> [String]
}

extension OpenableStorage {
    func openJournal() throws -> any Journal { try openJournal(isRelaxed: false) }

    /// Opens a journal as soon as one that nobody has closed does not write any more.
    func openedJournal() async throws -> any Journal {
        var journal: (any Journal)?
        try await eventually {
            do { journal = try openJournal() } catch StorageError.inUse {}
            return journal != nil
        }
        guard let journal else { throw Missing(id: "journal") }
        return journal
    }
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
    func openJournal(isRelaxed: Bool) throws -> any Journal {
        // As if the leases of earlier nodes had ended.
        try execute("DEL", "{test}:nodes")
        return try open(isRelaxed ? .relaxed : .full)
    }

    func crash(_ journal: any Journal) async throws -> any OpenableStorage {
        kill()
        try start()
        await journal.closed()
        return self
    }

    func problems() throws -> [String] { try reading { try $0.verify().problems } }

    /// Calls `body` with the storage, which it changes unless it is a reader.
    func reading<Value>(isReader: Bool = true, _ body: (RedisStorage) throws -> Value) throws -> Value {
        guard let sealer = Self.sealer else { throw Missing(id: "sealer") }
        let storage = try RedisStorage(
            RedisAddress("unix://\(socket)"), prefix: "test", durability: .full, sealer: sealer,
            isReader: isReader, timeouts: .long)
        defer { storage.close() }
        return try body(storage)
    }
}
