import Foundation
import Journal
import Sealing
import StoreHosting
import Stores

/// A redis-server with a directory of its own, both of which go with this.
final class RedisServer: @unchecked Sendable {
    // Sendable, because each test uses its own from one task.
    static let sealer = try? AESSealer(key: [UInt8](repeating: 7, count: AESSealer.keyLength))

    let directory: URL
    private let options: [String]
    private var process: Process?

    var socket: String { directory.appending(path: "redis.sock").path }

    init(_ options: [String] = ["--appendonly", "yes", "--appendfsync", "always"]) throws {
        // The path of a socket is short.
        directory = URL(filePath: "/tmp/redis-" + UUID().uuidString.prefix(13))
        self.options = options
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts the server with what it has stored, and waits until it is ready.
    func start() throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/redis-server")
        process.arguments =
            ["--port", "0", "--unixsocket", socket, "--dir", directory.path, "--save", ""] + options
        process.standardOutput = output
        try process.run()
        self.process = process
        var text = ""
        while !text.contains("ready to accept connections") {
            let some = output.fileHandleForReading.availableData
            guard !some.isEmpty else { throw Missing(id: "redis-server: \(text)") }
            text += String(decoding: some, as: UTF8.self)
        }
        // Nobody reads more of it, and the server writes little.
    }

    /// Kills the server at once.
    func kill() {
        guard let process, process.isRunning else { return }
        send(SIGKILL)
        process.waitUntilExit()
    }

    func send(_ signal: Int32) {
        if let process { Foundation.kill(process.processIdentifier, signal) }
    }

    /// Executes a command, and returns the lines of the reply.
    @discardableResult
    func execute(_ arguments: String...) throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/redis-cli")
        process.arguments = ["-s", socket] + arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func open(
        _ durability: RedisJournal.Durability = .full, replicas: Int = 0, keepCommits: Int = 1000,
        keepBytes: Int = 64 << 20, sealer: (any SecretSealer)? = sealer, lease: Duration = .seconds(1),
        now: @escaping @Sendable () -> Int = { Step.moment },
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws -> RedisJournal {
        guard let sealer else { throw Missing(id: "sealer") }
        // The server stays as long as the journal does.
        return try RedisJournal(
            RedisAddress("unix://\(socket)"), durability: durability, replicas: replicas, keepCommits: keepCommits,
            keepBytes: keepBytes, sealer: sealer, lease: lease, now: { withExtendedLifetime(self, now) }, report: report
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
        // Another process would wait for the end of the lease.
        await journal.closed()
        return self
    }

    func problems() throws -> [String] { try reading { try $0.verify().problems } }

    /// Calls `body` with the storage while no journal is open on it, or while it only reads.
    func reading<Value>(isExclusive: Bool = false, _ body: (RedisStorage) throws -> Value) throws -> Value {
        guard let sealer = Self.sealer else { throw Missing(id: "sealer") }
        let storage = try RedisStorage(
            RedisAddress("unix://\(socket)"), prefix: "test", sealer: sealer, isExclusive: isExclusive)
        defer { storage.close() }
        return try body(storage)
    }
}
