import CSQLite
package import StoreHosting
import Stores

/// Maintenance of a database file. Everything except imports also works while a server uses the file.
package enum SQLiteStorage {
    /// The result of ``verify(_:progress:misfit:)``.
    package struct Verification: Sendable {
        /// One line for each problem; empty if the file is intact.
        package var problems: [String] = []
        /// The number of checked sessions.
        package var sessions = 0
        /// The number of damaged sessions. The others can be exported, even if pages are damaged.
        package var damagedSessions = 0
        /// The number of checked commits.
        package var commits = 0
        /// One line for each session whose state does not fit; see ``verify(_:progress:misfit:)``.
        package var misfits: [String] = []

        package init() {}
    }

    /// Checks every page and every checksum, and replays the commits of every session.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - progress: called repeatedly.
    ///   - misfit: returns why a program cannot continue from the newest state of a session; nil if it can. It is called for each session
    ///     that is intact.
    package static func verify(
        _ path: String, progress: StorageProgress.Report = { _ in }, misfit: (StoredState) -> String? = { _ in nil }
    ) throws(StorageError) -> Verification {
        let (connection, version) = try openUnchecked(path)
        var found = Verification()
        found.problems = try damages(path) { () throws(SQLiteError) in
            try connection.checkPages(progress)
        }
        var isReadable = false
        found.problems += try damages(path) { () throws(SQLiteError) in
            let differences = try SchemaDifferences(of: connection, version: version)
            isReadable = differences.wrong.isEmpty
            return differences.all
        }
        guard isReadable else { return found }
        // Continue after damaged pages, to find the sessions that are intact and can be exported.
        found.problems += try damages(path) { () throws(SQLiteError) in
            let (reader, damage) = try makeReader(connection)
            try verifySessions(reader, &found, progress, misfit)
            return damage.map { [$0.description] } ?? []
        }
        return found
    }

    private static func verifySessions(
        _ reader: ReadConnection, _ found: inout Verification, _ progress: StorageProgress.Report,
        _ misfit: (StoredState) -> String?
    ) throws(SQLiteError) {
        let count = reader.sessionCount
        let damage = try forEachSession(reader) { id in
            verify(id, reader, &found, misfit)
            progress(StorageProgress(.readingSessions, found.sessions, of: count))
        }
        if let damage { found.problems.append(damage.description) }
    }

    /// Calls `body` with the newest state of each session, or with what is wrong with it.
    ///
    /// - Parameters:
    ///   - path: the database file. A server may use it.
    ///   - progress: called repeatedly.
    ///   - body: called once for each session, in the order of the file.
    package static func forEachState(
        in path: String, progress: StorageProgress.Report = { _ in },
        _ body: (_ id: String, Result<StoredState, JournalError>) -> Void
    ) throws(StorageError) {
        let connection = try open(path)
        try storageErrors(path) { () throws(SQLiteError) in
            let reader = try makeReader(connection).0
            let total = reader.sessionCount
            var count = 0
            let damage = try forEachSession(reader) { id in
                guard let state = reader.state(of: id) else { return }
                body(id, state)
                count += 1
                progress(StorageProgress(.readingSessions, count, of: total))
            }
            if let damage { throw damage }
        }
    }

    /// Calls `body` with the id of each session that has not ended, and perhaps with some that have. Damage that hides
    /// sessions in the table does not hide them in the index, and the other way round.
    ///
    /// - Returns: the damage that was met.
    static func forEachSession(
        _ reader: ReadConnection, _ body: (String) -> Void
    ) throws(SQLiteError) -> SQLiteError? {
        let isWhole = reader.connection.hasWholeIndex()
        var damage: SQLiteError?
        var known: Set<String> = []
        var number = 0
        do throws(SQLiteError) {
            // With damaged pages, the numbers might not ascend.
            while let (next, id) = try reader.session(after: number), next > number {
                number = next
                if !isWhole { known.insert(id) }
                body(id)
            }
        } catch {
            guard error.isCorruption else { throw error }
            damage = error
        }
        if !isWhole { for id in reader.connection.indexedSessions() where known.insert(id).inserted { body(id) } }
        return damage
    }

    private static func verify(
        _ id: String, _ reader: ReadConnection, _ found: inout Verification, _ misfit: (StoredState) -> String?
    ) {
        do throws(JournalError) {
            guard let (commits, state) = try reader.verify(id) else { return }
            found.commits += commits
            if let detail = misfit(state) { found.misfits.append("session \(id): \(detail)") }
        } catch {
            found.damagedSessions += 1
            found.problems.append("session \(id): \(error.detail)")
        }
        found.sessions += 1
    }

    /// The problems that `body` finds, including damage that makes it fail.
    private static func damages(
        _ path: String, _ body: () throws(SQLiteError) -> [String]
    ) throws(StorageError) -> [String] {
        do throws(SQLiteError) {
            return try body()
        } catch {
            guard error.isCorruption else { throw StorageError(error, path) }
            return [error.description]
        }
    }

    /// Copies a consistent snapshot of the database, even while a server writes to it.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - target: a file that does not exist.
    ///   - progress: called repeatedly.
    package static func backup(
        _ path: String, to target: String, progress: StorageProgress.Report = { _ in }
    ) throws(StorageError) {
        let source = try open(path)
        let file = try StorageFile(target)
        try StorageLock.check(file.path)
        guard !file.exists else { throw .refused("\(target) already exists; pass the name of a new file") }
        try file.rejectOrphans()
        try copy(source, to: file, target, progress)
    }

    /// - Parameter target: the name of the file in errors.
    private static func copy(
        _ source: Connection, to file: StorageFile, _ target: String, _ progress: StorageProgress.Report
    ) throws(StorageError) {
        // Renamed when complete, so that an interrupted copy is not mistaken for a backup.
        let part = try PartialFile(of: file)
        try storageErrors(target) { () throws(SQLiteError) in
            let copy = try Connection(part.file.path, .write)
            try source.copy(to: copy, progress)
            // Without a WAL, so that the backup is a single file.
            try copy.execute("PRAGMA journal_mode = DELETE")
            try BackupMarker.write(into: copy)
        }
        try part.complete()
    }

    /// Puts a backup in the place of a database that is gone.
    ///
    /// - Parameters:
    ///   - backup: the backup, which is not changed.
    ///   - path: the database, which does not exist. No server may use one that had this name.
    ///   - progress: called repeatedly.
    package static func restore(
        _ backup: String, to path: String, progress: StorageProgress.Report = { _ in }
    ) throws(StorageError) {
        let file = try StorageFile(path)
        // First, because a server that still has the old files open would continue in them: they must stay where they are.
        let lock = try StorageLock(file.path)
        defer { lock.release() }
        guard !file.exists else {
            throw .refused(
                "\(path) already exists; move it away first, with the files beside it (-wal, -shm and -lock), or pass the name "
                    + "of a new file")
        }
        try file.rejectOrphans()
        try copy(try open(backup), to: file, path, progress)
    }

    /// Opens a Storehouse database for reading.
    static func open(_ path: String) throws(StorageError) -> Connection {
        let (connection, version) = try openUnchecked(path)
        try SchemaDifferences.reject(in: connection, version: version, path)
        return connection
    }

    /// Opens a Storehouse database for reading, whatever its tables are.
    private static func openUnchecked(_ path: String) throws(StorageError) -> (Connection, version: Int) {
        let file = try StorageFile(path)
        guard file.exists else { throw .missing(path: path) }
        guard try file.checkHeader() else { throw .foreign(path: path, detail: "it is empty") }
        return try openKnown(path, file, .read)
    }

    /// A reader that knows the commits that are not sorted yet, as far as damage allows.
    static func makeReader(_ connection: Connection) throws(SQLiteError) -> (ReadConnection, damage: SQLiteError?) {
        let unsorted = UnsortedCommits()
        let reader = try ReadConnection(connection, unsorted)
        guard try connection.integer("PRAGMA user_version") ?? 0 >= 5 else { return (reader, nil) }
        defer { connection.rollBack() }
        try connection.execute("BEGIN")
        do throws(SQLiteError) {
            try unsorted.read(connection)
            return (reader, nil)
        } catch {
            guard error.isCorruption else { throw error }
            return (reader, error)
        }
    }

    /// Opens a database of a version that this release knows.
    static func openKnown(
        _ path: String, _ file: StorageFile, _ access: Connection.Mode
    ) throws(StorageError) -> (Connection, version: Int) {
        let connection = try storageErrors(path) { () throws(SQLiteError) in try Connection(file.path, access) }
        let version = try storageErrors(path) { () throws(SQLiteError) in
            try connection.integer("PRAGMA user_version") ?? 0
        }
        try Schema.check(version, path)
        return (connection, version)
    }
}

extension JournalError {
    package var detail: String {
        switch self {
        case .unavailable(let detail), .outcomeUnknown(let detail), .corrupt(let detail, _): detail
        case .conflict: "another process has committed in the meantime"
        }
    }
}

extension Connection {
    private var pageSize: Int {
        get throws(SQLiteError) { try integer("PRAGMA page_size") ?? 0 }
    }

    /// Checks every page.
    ///
    /// - Returns: one line for each damage, of which SQLite finds 20 at most.
    fileprivate func checkPages(_ progress: StorageProgress.Report) throws(SQLiteError) -> [String] {
        let step = StorageProgress(
            .checkingPages, nil, of: try pageSize * (try integer("PRAGMA page_count") ?? 0))
        progress(step)
        let check = try prepare("PRAGMA integrity_check(20)")
        return try reporting(
            { progress(step) }, of: { () throws(SQLiteError) in try check.all({ _ in }, { $0.text(0) }) }
        )
        .filter { $0 != "ok" }
    }

    /// Calls `report` now and then while SQLite works in `body`.
    private func reporting(
        _ report: () -> Void, of body: () throws(SQLiteError) -> [String]
    ) throws(SQLiteError) -> [String] {
        let result: Result<[String], SQLiteError> = withoutActuallyEscaping(report) { report in
            var report: () -> Void = report
            return withUnsafeMutablePointer(to: &report) { place in
                sqlite3_progress_handler(
                    handle, Self.stepsBetweenReports,
                    { place in
                        place?.assumingMemoryBound(to: (() -> Void).self).pointee()
                        return 0
                    }, place)
                defer { sqlite3_progress_handler(handle, 0, nil, nil) }
                do throws(SQLiteError) {
                    return .success(try body())
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// Steps of SQLite's virtual machine: a millisecond or so.
    private static let stepsBetweenReports: Int32 = 100_000

    /// Copies the database into another one, some pages at a time.
    fileprivate func copy(to target: Connection, _ progress: StorageProgress.Report) throws(SQLiteError) {
        // The read transaction keeps the source constant, so the copy never has to restart.
        try execute("BEGIN; SELECT count(*) FROM meta")
        defer { rollBack() }
        guard let copy = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLiteError(sqlite3_errcode(target.handle), target.handle)
        }
        let pageSize = try pageSize
        var code = SQLITE_OK
        while code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED {
            code = sqlite3_backup_step(copy, 4096)
            let (left, total) = (Int(sqlite3_backup_remaining(copy)), Int(sqlite3_backup_pagecount(copy)))
            progress(StorageProgress(.copyingPages, (total - left) * pageSize, of: total * pageSize))
        }
        let end = sqlite3_backup_finish(copy)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw SQLiteError(code, target.handle) }
    }
}
