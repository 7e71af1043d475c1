import Locks
import StorehouseClient

/// A disk in memory, which can be full.
final class FakeDisk: ClientStorage {
    struct Full: Error {}

    struct Contents {
        var stored = StoredOutbox()
        var name: String?
        var isFull = false
        /// The numbers that were known as sent when each call ended.
        var progress: [OutboxProgress] = []
    }

    private let contents = Locked(Contents())

    var now: Contents { contents.withLock { $0 } }

    /// The storage of one store.
    var storage: OutboxStorage { OutboxStorage { self } }

    func fill() { contents.withLock { $0.isFull = true } }

    /// Begins with entries that an earlier store has kept.
    func keep(_ rows: [OutboxRow], damage: StorageFailure? = nil) {
        contents.withLock { contents in
            contents.stored.rows = rows
            contents.stored.damage = damage
        }
    }

    func load(_ name: String) -> StoredOutbox {
        contents.withLock { contents in
            contents.name = name
            return contents.stored
        }
    }

    func append(_ rows: [OutboxRow]) throws {
        try change { contents in
            contents.stored.rows += rows
            contents.stored.last = max(contents.stored.last, rows.last?.number ?? 0)
        }
    }

    func advance(_ progress: OutboxProgress) throws {
        try change { contents in
            contents.progress.append(progress)
            contents.stored.client = progress.client
            contents.stored.sent = progress.sent
            contents.stored.rows.removeAll { progress.done.contains($0.number) }
        }
    }

    func save(_ cache: [UInt8]) throws { try change { $0.stored.cache = cache } }

    func clear() { contents.withLock { $0.stored = StoredOutbox() } }

    private func change(_ body: (inout Contents) -> Void) throws {
        try contents.withLock { contents in
            if contents.isFull { throw Full() }
            body(&contents)
        }
    }
}
