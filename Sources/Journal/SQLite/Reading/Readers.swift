import Dispatch
import Locks
import StoreHosting
import Stores

/// Reads for whoever asks, on threads of its own, beside what is being written.
///
/// Sessions that somebody waits for have a queue of their own, so that long lists and old histories do not keep them waiting.
final class Readers: Sendable {
    /// A connection that is opened when it is first needed.
    private final class Place: Sendable {
        let queue: DispatchQueue
        // Guards the connection, which only the queue uses: nobody ever waits for it.
        let reader: Locked<ReadConnection?> = Locked(nil)

        init(_ name: String) { queue = DispatchQueue(label: name) }
    }

    private let path: String
    private let vfs: String?
    private let finding = Place("journal.finder")
    private let reading = Place("journal.reader")

    /// - Parameters:
    ///   - path: of a database that is in use already, so that it is one of ours.
    ///   - vfs: the name of what SQLite reads through; nil for the system itself.
    init(_ path: String, vfs: String?) {
        self.path = path
        self.vfs = vfs
    }

    /// Reads what a request cannot go on without.
    func find<Value: Sendable>(
        _ done: @escaping @Sendable (Result<Value, JournalError>) -> Void,
        _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) { run(finding, done, body) }

    /// Reads what may take a while.
    func read<Value: Sendable>(
        _ done: @escaping @Sendable (Result<Value, JournalError>) -> Void,
        _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) { run(reading, done, body) }

    private func run<Value: Sendable>(
        _ place: Place, _ done: @escaping @Sendable (Result<Value, JournalError>) -> Void,
        _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) {
        place.queue.async { [self] in
            let result: Result<Value, JournalError> = place.reader.withLock { reader in
                do throws(JournalError) {
                    return .success(try opened(&reader).atOneMoment(body))
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

    /// Lets go of the file, when all that was asked for is read.
    func close() {
        for place in [finding, reading] { place.queue.sync { place.reader.withLock { $0 = nil } } }
    }
}

extension JournalError {
    init(_ error: SQLiteError) {
        self = error.isCorruption ? .corrupt(error.description) : .unavailable(error.description)
    }
}
