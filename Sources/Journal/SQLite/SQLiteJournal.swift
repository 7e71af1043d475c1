import Dispatch
import Platform
public import StoreHosting
import Stores

/// Keeps commits in a file, by SQLite, so that sessions outlive the process.
///
/// One process has the file at a time. All that sessions commit while a transaction is written and synced goes into the next one
/// together. When something cannot be written, the sessions that it belongs to keep nothing any more, and what they hold in memory
/// is to be given up: they can be found again as they were kept.
public final class SQLiteJournal: Journal {
    /// What ``SessionJournal/whenDurable(_:)`` waits for.
    public enum Durability: Sendable {
        /// That the disk has it: it is there whatever happens to the process or the machine.
        case full
        /// That the writer has it: what the process was given in its last moments, a few milliseconds as long as the disk keeps up,
        /// is lost when it is killed; when the machine fails, so is what the system had not written by then, at most what
        /// was committed since the log was last taken over.
        case relaxed
    }

    /// How long answers to requests that may come again are given again, in milliseconds.
    static let answersLast = 600_000

    private let writer: Writer
    private let keepCommits: Int
    private let now: @Sendable () -> Int
    private let report: @Sendable (StorageEvent) -> Void
    private let lock: StorageLock
    /// Nil where the file is no copy of another.
    private let copy: BackupMarker?

    /// Opens the file, which is made where there is none.
    ///
    /// - Parameters:
    ///   - path: the database file. Beside it stand its log, its shared memory and its lock, with `-wal`, `-shm` and `-lock`
    ///     behind the name.
    ///   - durability: what is awaited of a commit.
    ///   - keepCommits: how many commits of a session are kept at least, as long as they are young enough.
    ///   - keepDays: after how many days commits go however few they are; 0 for never.
    ///   - report: takes what happens to the file, on any thread.
    public convenience init(
        path: String, durability: Durability = .full, keepCommits: Int = 1000, keepDays: Int = 0,
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        try self.init(
            path: path, durability: durability, keepCommits: keepCommits, keepDays: keepDays, vfs: nil, now: systemTime,
            report: report)
    }

    /// - Parameters:
    ///   - vfs: the name of what SQLite reads and writes through; nil for the system itself.
    ///   - now: milliseconds since 1970.
    package init(
        path: String, durability: Durability = .full, keepCommits: Int = 1000, keepDays: Int = 0, vfs: String?,
        now: @escaping @Sendable () -> Int = systemTime, report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        let file = try StorageFile(path)
        try file.checkHeader()
        lock = try StorageLock(file.path)
        try file.prepare()
        let connection = try storageErrors(path) { () throws(SQLiteError) in
            try Connection(file.path, .write, vfs: vfs)
        }
        try Schema.prepare(connection, path, report)
        copy = try storageErrors(path) { () throws(SQLiteError) in try BackupMarker(of: connection) }
        let database = try storageErrors(path) { () throws(SQLiteError) in
            try WriteConnection(
                connection, durability: durability,
                RetentionPolicy(keepCommits: keepCommits, keepDays: keepDays, now: now))
        }
        let readers = Readers(file.path, vfs: vfs)
        let checkpointer = Checkpointer(file.path, vfs: vfs)
        writer = Writer(database, readers, checkpointer, acknowledgesOnEnqueue: durability == .relaxed, report)
        self.keepCommits = max(1, keepCommits)
        mayLoseCommits = durability == .relaxed
        self.now = now
        self.report = report
        writer.keepHouse(every: .seconds(10))
    }

    public var outlivesProcess: Bool { true }

    public var isShared: Bool { false }

    public let mayLoseCommits: Bool

    public var isAvailable: Bool { writer.isAvailable }

    public var sessionCount: Int { writer.sessionCount }

    public var transactionCount: Int { writer.transactionCount }

    public func create(_ session: SessionHeader) -> any SessionJournal {
        let journal = SQLiteSessionJournal(writer, id: session.id, SnapshotPolicy(keepCommits: keepCommits))
        journal.create(session)
        return journal
    }

    public func load(_ id: String, done: @escaping @Sendable (Result<SessionLookup, JournalError>) -> Void) {
        let oldest = now() - Self.answersLast
        let found: @Sendable (Result<SessionLookup, JournalError>) -> Void = { [report] result in
            if case .failure(.corrupt(let detail)) = result { report(.damaged(session: id, detail)) }
            done(result)
        }
        // What was given to the writer of that session is to be found.
        writer.afterAll { [self] in
            writer.readers.find(found) { [self] reader throws(JournalError) in
                switch try reader.find(id, answersSince: oldest, keepCommits: keepCommits) {
                case .unknown: return .unknown
                case .ended: return .ended
                case .session(let session):
                    let kept = copy?.apply(to: session) ?? session.kept
                    return .session(kept, session.past, session.answers, journal(of: session))
                }
            }
        }
    }

    private func journal(of session: StoredSession) -> SQLiteSessionJournal {
        SQLiteSessionJournal(
            writer, id: session.row.record.id,
            SnapshotPolicy(keepCommits: keepCommits, snapshot: session.snapshot, session.rows),
            revision: session.cursor.revision, privateState: session.past.hidden, position: session.cursor,
            lastUse: session.row.lastActiveAt)
    }

    public func list(
        after id: String?, limit: Int, done: @escaping @Sendable (Result<[SessionSummary], JournalError>) -> Void
    ) {
        writer.readers.read(done) { reader throws(JournalError) in try reader.list(after: id, limit: limit) }
    }

    public func idleSessions(
        before moment: Int, limit: Int, done: @escaping @Sendable (Result<[String], JournalError>) -> Void
    ) {
        writer.readers.read(done) { reader throws(JournalError) in try reader.idle(since: moment, limit: limit) }
    }

    public func end(_ id: String, at moment: Int) { writer.enqueue(.end(nil, id: id, at: moment)) }

    public func close(done: @escaping @Sendable () -> Void) {
        writer.close { [self] in
            // The lock goes with this journal; who waits may open the file again at once.
            lock.release()
            done()
        }
    }
}
