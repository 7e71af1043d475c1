import Dispatch
import Locks
import StoreHosting
import Stores

/// Reads from the database on its own threads, concurrently with the writer.
///
/// Session lookups have a separate queue, so that long lists and histories do not delay them.
final class Readers: Sendable {
    /// A connection that is opened on first use.
    private final class ReaderConnection: Sendable {
        let queue: DispatchQueue
        // Only the queue uses the connection, so the lock is never contended.
        let reader: Locked<ReadConnection?> = Locked(nil)

        init(_ name: String) { queue = DispatchQueue(label: name) }
    }

    private let path: String
    private let vfs: String?
    private let lookup = ReaderConnection("journal.lookup")
    private let history = ReaderConnection("journal.history")

    /// - Parameters:
    ///   - path: a database that the writer has opened and checked.
    ///   - vfs: the name of SQLite's VFS; nil for the default.
    init(_ path: String, vfs: String?) {
        self.path = path
        self.vfs = vfs
    }

    /// Reads what a request needs to proceed.
    func find<Value: Sendable>(
        _ done: @escaping @Sendable (Result<Value, JournalError>) -> Void,
        _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) { run(lookup, done, body) }

    /// Reads what may take longer.
    func read<Value: Sendable>(
        _ done: @escaping @Sendable (Result<Value, JournalError>) -> Void,
        _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) { run(history, done, body) }

    private func run<Value: Sendable>(
        _ connection: ReaderConnection, _ done: @escaping @Sendable (Result<Value, JournalError>) -> Void,
        _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) {
        connection.queue.async { [self] in
            let result: Result<Value, JournalError> = connection.reader.withLock { reader in
                do throws(JournalError) {
                    return .success(try opened(&reader).inReadTransaction(body))
                } catch {
                    return .failure(error)
                }
            }
            done(result)
        }
    }

    private func opened(_ reader: inout ReadConnection?) throws(JournalError) -> ReadConnection {
        if let reader { return reader }
        do throws(SQLiteError) {
            let connection = try Connection(path, .read, vfs: vfs)
            try connection.execute("PRAGMA cache_size = -4000")
            let new = try ReadConnection(connection)
            reader = new
            return new
        } catch {
            throw JournalError(error)
        }
    }

    /// Closes the connections after all pending reads.
    func close() {
        for connection in [lookup, history] {
            connection.queue.sync { connection.reader.withLock { $0 = nil } }
        }
    }
}

extension JournalError {
    init(_ error: SQLiteError) {
        self = error.isCorruption ? .corrupt(error.description) : .unavailable(error.description)
    }
}
