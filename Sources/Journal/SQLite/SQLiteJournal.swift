import Dispatch
package import JSON
import Platform
package import StoreHosting
package import Stores

/// Persists commits in an SQLite database, so that sessions outlive the process.
///
/// Only one process can open the file at a time. Commits that arrive while a transaction is written and synced are
/// written together in the next one. If a write fails, the sessions that it belongs to persist nothing more: their
/// state in memory must be discarded, and they can be loaded again as they were persisted.
package final class SQLiteJournal: Journal {
    /// The guarantee that `SessionJournal.whenDurable(through:notify:)` waits for.
    package enum Durability: Sendable {
        /// The commit is synced to disk: it survives a failure of the process or the machine.
        case full
        /// The commit is enqueued for writing. If the process is killed, its last commits are lost: those of a few
        /// milliseconds, as long as the disk is fast enough. If the machine fails, commits that the system had not
        /// written yet are lost too, at most those since the last checkpoint.
        case relaxed
    }

    private let writer: Writer
    private let check: IndexCheck
    private let limits: RetentionLimits
    private let time: JournalTime
    private let report: @Sendable (StorageEvent) -> Void
    private let path: String
    /// Nil if the file is not a backup.
    private let backup: BackupMarker?
    package let timeReference: SessionTimeReference?
    package let secret: [UInt8]?

    /// Opens the database, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - path: the database file. Its WAL, its shared memory and its lock file are named with the suffixes `-wal`, `-shm` and
    ///     `-lock`.
    ///   - durability: the guarantee that a commit waits for.
    ///   - keepCommits: the minimum number of commits that a session retains, within the next two limits.
    ///   - keepBytes: the size of a session's commits above which the oldest are deleted, however few there are. What a
    ///     valid idempotency record needs stays, and so do the commits after the newest snapshot.
    ///   - keepDays: the age in days after which commits are deleted, however few there are; 0 for no limit.
    ///   - report: receives the events of the file, on any thread.
    package convenience init(
        path: String, durability: Durability = .full, keepCommits: Int = 1000, keepBytes: Int = 64 << 20,
        keepDays: Int = 0, report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        try self.init(
            path: path, durability: durability, keepCommits: keepCommits, keepBytes: keepBytes, keepDays: keepDays,
            vfs: nil, now: nil, report: report)
    }

    /// - Parameters:
    ///   - sorting: when commits are sorted into their sessions.
    ///   - vfs: the name of an SQLite VFS; nil for the default.
    ///   - now: the session time until ``useSessionTime(_:)`` tells another, and the date in milliseconds since
    ///     1970-01-01T00:00:00Z; nil for those of the system.
    package init(
        path: String, durability: Durability = .full, keepCommits: Int = 1000, keepBytes: Int = 64 << 20,
        keepDays: Int = 0, sorting: SortingPolicy = SortingPolicy(), vfs: String?,
        now: (@Sendable () -> Int)? = nil,
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        let file = try StorageFile(path)
        try StorageLock.check(file.path)
        try file.checkHeader()
        let lock = try StorageLock(file.path)
        self.path = file.path
        try file.prepare()
        let connection = try storageErrors(path) { () throws(SQLiteError) in
            try Connection(file.path, .write, vfs: vfs)
        }
        try Schema.prepare(connection, path, report)
        backup = try storageErrors(path) { () throws(SQLiteError) in try BackupMarker(of: connection) }
        timeReference = try storageErrors(path) { () throws(SQLiteError) in try SessionTimeReference(of: connection) }
        secret = try storageErrors(path) { () throws(SQLiteError) in try StorageSecret.bytes(in: connection) }
        epoch = try storageErrors(path) { () throws(SQLiteError) in
            durability == .relaxed ? try RelaxedEpoch.take(from: connection) : nil
        }
        let limits = RetentionLimits(keepCommits: keepCommits, keepBytes: keepBytes, keepDays: keepDays)
        self.limits = limits
        let time = JournalTime(now ?? JournalTime.since(timeReference))
        let retention = RetentionPolicy(limits, now: { time() }, date: now ?? RetentionDate().now)
        self.time = time
        let database = try storageErrors(path) { () throws(SQLiteError) in
            try WriteConnection(connection, syncsTransactions: durability == .full, retention, sorting)
        }
        let watch = try FileWatch(path, file, lock, vfs: vfs, report)
        let readers = Readers(file.path, vfs: vfs, database.unsorted, watch)
        let checkpointer = Checkpointer(file.path, vfs: vfs, watch)
        writer = Writer(
            lock, watch, database, readers, checkpointer, acknowledgesOnEnqueue: durability == .relaxed, report)
        check = IndexCheck(file.path, vfs: vfs)
        self.report = report
        writer.sortAtStart()
        writer.scheduleMaintenance(every: .seconds(10))
        writer.beginWatching(every: .seconds(1))
    }

    package var outlivesProcess: Bool { true }

    package var isShared: Bool { false }

    /// Only with relaxed durability.
    package let epoch: Int?

    package var isAvailable: Bool { writer.isAvailable }

    package var sessionCount: Int { writer.sessionCount }

    package var transactionCount: Int { writer.transactionCount }

    /// The database file and its WAL.
    package var storageBytes: Int? {
        let sizes = ["", "-wal"].compactMap { byteCount(of: $0) }
        return sizes.isEmpty ? nil : sizes.reduce(0, +)
    }

    package var walBytes: Int? { byteCount(of: "-wal") }

    /// The size of the file with this suffix; nil if there is none.
    private func byteCount(of suffix: String) -> Int? {
        var status = stat()
        return stat(path + suffix, &status) == 0 ? Int(status.st_size) : nil
    }

    package func observeTransactions(_ observer: @escaping @Sendable (Duration) -> Void) {
        writer.observeTransactions(observer)
    }

    package func create(_ session: SessionHeader) -> any SessionJournal {
        let journal = SQLiteSessionJournal(writer, id: session.id, SnapshotPolicy(limits))
        journal.create(session)
        return journal
    }

    package func load(_ id: String, for subject: Subject?) async throws(JournalError) -> SessionLookup {
        do throws(JournalError) {
            let found = try await find(id, for: subject)
            if case .unknown = found, await check.isMissing(id) {
                throw JournalError.corrupt("the index does not find it by its id")
            }
            return found
        } catch {
            if case .corrupt(let detail, _) = error { report(.damaged(session: id, detail)) }
            throw error
        }
    }

    private func find(_ id: String, for subject: Subject?) async throws(JournalError) -> SessionLookup {
        let oldest = time() - IdempotencyRecord.lifetime
        // The load must find the commands that are enqueued for the session.
        await writer.afterAll(of: id)
        return try await writer.readers.find(of: .id(id)) { [self] reader throws(JournalError) in
            guard let row = try reader.row(of: id) else { return .unknown }
            let owner = row.header.owner
            if row.endedAt != nil { return .ended(owner: owner) }
            if let subject, subject != owner { return .foreign(owner: owner, kind: row.header.kind) }
            let session = try reader.load(row, answersSince: oldest, limits)
            let summary = backup?.apply(to: session) ?? session.summary
            return .session(summary, session.replayable, session.answers, journal(of: session))
        }
    }

    package func permits(ofEnded id: String) async throws(JournalError) -> FinalPermits? {
        await writer.afterAll(of: id)
        return try await writer.readers.find(of: .id(id)) { reader throws(JournalError) in
            try reader.finalPermits(of: id)
        }
    }

    private func journal(of session: StoredSession) -> SQLiteSessionJournal {
        SQLiteSessionJournal(
            writer, id: session.row.header.id,
            SnapshotPolicy(limits, snapshot: session.snapshot, session.rows),
            revision: session.position.revision, privateState: session.replayable.privateState,
            position: session.position,
            lastUse: session.row.head.lastActiveAt)
    }

    package func personalSession(of owner: Subject, kind: String) async throws(JournalError) -> String? {
        // A session that is about to be created or ended counts.
        await writer.afterAll()
        return try await writer.readers.find(of: .none) { reader throws(JournalError) in
            try reader.personalSession(of: owner, kind: kind)
        }
    }

    package func list(after id: String?, limit: Int) async throws(JournalError) -> [SessionSummary] {
        // The list must have every session whose creation was acknowledged. If that means that it is written, nothing
        // needs to be awaited, so that the list can be read while the disk hangs.
        if writer.acknowledgesOnEnqueue { await writer.afterAll() }
        return try await writer.readers.read(of: .all) { reader throws(JournalError) in
            try reader.list(after: id, limit: limit)
        }
    }

    package func uses(after place: SessionUses.Place, limit: Int) async throws(JournalError) -> SessionUses {
        // In this order: a use that is written meanwhile is found twice, and not missed.
        let pending = writer.pendingUses
        return try await writer.readers.read(of: .all) { reader throws(JournalError) in
            try reader.uses(after: place, limit: limit, pending)
        }
    }

    package func summaries(of ids: [String]) async throws(JournalError) -> [SessionSummary] {
        // As for the list of all sessions.
        if writer.acknowledgesOnEnqueue { await writer.afterAll() }
        let pending = writer.pendingUses
        return try await writer.readers.read(of: .all) { reader throws(JournalError) in
            try reader.summaries(of: ids, pending)
        }
    }

    package func sessions(
        of subject: Subject, as role: SessionRole?, after id: String?, limit: Int
    ) async throws(JournalError) -> [SessionSummary] {
        // As for the list of all sessions.
        if writer.acknowledgesOnEnqueue { await writer.afterAll() }
        return try await writer.readers.read(of: .all) { reader throws(JournalError) in
            try reader.sessions(of: subject, as: role, after: id, limit: limit)
        }
    }

    package func newestState(of id: String) async throws(JournalError) -> StoredState? {
        try await writer.readers.read(of: .id(id)) { reader throws(JournalError) in try reader.storedState(id) }
    }

    package func index(_ members: [ActorID]?, of id: String, at revision: Int) async throws(JournalError) {
        guard let members else { return }
        writer.enqueue(.indexStored(members, id: id, at: revision))
        await writer.afterAll(of: id)
    }

    package func idleSessions(before moment: Int, limit: Int) async throws(JournalError) -> [String] {
        try await writer.readers.read(of: .all) { reader throws(JournalError) in
            try reader.idle(since: moment, limit: limit)
        }
    }

    package func unusedSessions(
        from start: Int, before moment: Int, limit: Int
    ) async throws(JournalError) -> UnusedSessions {
        // A use that is about to be recorded counts.
        await writer.afterAll()
        return try await writer.readers.read(of: .all) { reader throws(JournalError) in
            try reader.unused(from: start, before: moment, limit: limit)
        }
    }

    package func dueSessions(
        after last: DueSession?, until moment: Int, limit: Int
    ) async throws(JournalError) -> [DueSession] {
        try await writer.readers.read(of: .none) { reader throws(JournalError) in
            try reader.due(after: last, until: moment, limit: limit)
        }
    }

    package func sample(_ count: Int) async throws(JournalError) -> [StoredState] {
        let ids = try await writer.readers.read(of: .none) { reader throws(JournalError) in try reader.sample(count) }
        var states: [StoredState] = []
        // One after the other, so that no other reader waits for all of them.
        for id in ids where !Task.isCancelled {
            let state = try? await writer.readers.read(of: .id(id)) { reader throws(JournalError) in
                try reader.storedState(id)
            }
            if let state { states.append(state) }
        }
        return states
    }

    package func record(_ reference: SessionTimeReference) { writer.enqueue(.recordTime(reference)) }

    package func useSessionTime(_ now: @escaping @Sendable () -> Int) { time.follow(now) }

    package func end(_ id: String, at moment: Int) { writer.enqueue(.end(nil, id: id, at: moment)) }

    package func close() async {
        await check.close()
        await writer.close(in: epoch)
    }
}
