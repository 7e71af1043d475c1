import Dispatch
import Locks
import StoreHosting

/// Keeps the outbox of a store in a folder, on a queue of its own, so that no actor waits for a disk.
package final class FileStorage: ClientStorage {
    private let folder: String
    private let disk: any OutboxDisk
    private let waitTimeout: Duration
    private let queue = DispatchQueue(label: "storehouse outbox")
    // Held by the queue alone.
    private let file = Locked<OutboxFile?>(nil)

    /// - Parameters:
    ///   - folder: has the files of all stores that are kept there. It is made if it is missing.
    ///   - waitTimeout: how long another store with the same outbox is awaited that is about to end.
    package init(_ folder: String, disk: any OutboxDisk = SystemDisk(), waitTimeout: Duration = .seconds(2)) {
        self.folder = folder
        self.disk = disk
        self.waitTimeout = waitTimeout
    }

    package func load(_ name: String) async throws -> StoredOutbox {
        try await run { [folder, disk, waitTimeout] file in
            let opened = try OutboxFile(Self.fileName(name), in: folder, disk, waitTimeout: waitTimeout)
            let outbox = try opened.load()
            file = opened
            return outbox
        }
    }

    package func append(_ rows: [OutboxRow]) async throws { try await change { try $0.append(rows) } }

    package func advance(_ progress: OutboxProgress) async throws { try await change { try $0.advance(progress) } }

    package func save(_ cache: [UInt8]) async throws { try await change { try $0.save(cache) } }

    package func clear() async throws { try await change { try $0.clear() } }

    private func change(_ body: @escaping @Sendable (OutboxFile) throws -> Void) async throws {
        try await run { [folder] file in
            guard let file else { throw StorageFailure.unusable(path: folder, reason: "no outbox is open") }
            try body(file)
        }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout OutboxFile?) throws -> Value
    ) async throws -> Value {
        try await Promise.value { done in
            self.queue.async { done(Result { try self.file.withLock { try body(&$0) } }) }
        }.get()
    }

    /// A name that is short, valid everywhere, and tells nothing: that of an outbox may have a secret address.
    static func fileName(_ name: String) -> String {
        ["a", "b"].map { start in
            var hash = FNV1a()
            for byte in start.utf8 { hash.add(byte) }
            for byte in name.utf8 { hash.add(byte) }
            let text = String(hash.value, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }
}

extension OutboxStorage {
    /// In a folder: actions outlive the process, and the newest state is shown before the server has answered.
    ///
    /// The files belong to one server, session, selection and user each. One store at a time may use them.
    /// - Parameter path: of a folder that only the user may read. It is made if it is missing.
    public static func file(_ path: String) -> OutboxStorage {
        OutboxStorage { FileStorage(path) }
    }
}
