import CSQLite
import StoreHosting
import Stores

/// What operators do with a journal's file: also while a server uses it, importing apart.
public enum SQLiteStorage {
    /// What a look at everything has found.
    public struct Verification: Sendable {
        /// What is not as it was written, a line each; none where all is well.
        public internal(set) var problems: [String] = []
        /// How many sessions were looked at.
        public internal(set) var sessions = 0
        /// How many of them are not as they were written. The others can be exported, also where pages are damaged.
        public internal(set) var damagedSessions = 0
        /// How many commits were looked at.
        public internal(set) var commits = 0
    }

    /// Looks at every page of the file, every checksum, and whether every session's state can be made of its commits.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - progress: takes how many sessions of how many have been looked at, now and then.
    public static func verify(
        _ path: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(StorageError) -> Verification {
        let connection = try open(path)
        var found = Verification()
        found.problems = try damages(path) { () throws(SQLiteError) in
            try connection.prepare("PRAGMA integrity_check(20)").all({ _ in }, { $0.text(0) }).filter { $0 != "ok" }
        }
        // Also where pages are damaged: it tells which sessions are still whole, and can be exported.
        found.problems += try damages(path) { () throws(SQLiteError) in
            try verifySessions(ReadConnection(connection), &found, progress)
            return []
        }
        return found
    }

    private static func verifySessions(
        _ reader: ReadConnection, _ found: inout Verification, _ progress: (Int, Int) -> Void
    ) throws(SQLiteError) {
        let count = try reader.connection.integer("SELECT count(*) FROM sessions WHERE ended IS NULL") ?? 0
        var number = 0
        while let (next, id) = try reader.session(after: number) {
            // Of damaged pages nothing is certain, not even that this comes to an end.
            guard next > number else { throw SQLiteError(damage: "sessions are not in their order") }
            number = next
            found.sessions += 1
            do throws(JournalError) {
                found.commits += try reader.verify(id)
            } catch {
                found.damagedSessions += 1
                found.problems.append("session \(id): \(error.detail)")
            }
            if found.sessions.isMultiple(of: 1000) { progress(found.sessions, count) }
        }
    }

    /// What `body` says is wrong, which may be that it could not be looked at.
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

    /// Copies the database as it is at one moment, also while a server writes to it.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - target: a file that is not there yet.
    ///   - progress: takes how many pages of how many have been copied, now and then.
    public static func backup(
        _ path: String, to target: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(StorageError) {
        let source = try open(path)
        let file = try StorageFile(target)
        guard !file.exists else { throw .refused("\(target) is there already; give the name of a new file") }
        // Under another name until it is whole: nobody should take for a backup what a kill has left.
        let part = try StorageFile(file.path + ".part")
        part.remove()
        try part.prepare()
        do throws(StorageError) {
            try storageErrors(target) { () throws(SQLiteError) in
                let copy = try Connection(part.path, .write)
                try source.copy(to: copy, progress)
                // One file, with nothing beside it that belongs to it.
                try copy.execute("PRAGMA journal_mode = DELETE")
                try BackupMarker.write(into: copy)
            }
            try part.move(to: file)
        } catch {
            part.remove()
            throw error
        }
    }

    /// A connection to a database of ours that reads.
    static func open(_ path: String) throws(StorageError) -> Connection {
        let file = try StorageFile(path)
        guard file.exists else { throw .missing(path: path) }
        guard try file.checkHeader() else { throw .foreign(path: path, detail: "there is nothing in it") }
        return try openKnown(path, file, .read)
    }

    static func openKnown(
        _ path: String, _ file: StorageFile, _ access: Connection.Access
    ) throws(StorageError) -> Connection {
        let connection = try storageErrors(path) { () throws(SQLiteError) in try Connection(file.path, access) }
        let version = try storageErrors(path) { () throws(SQLiteError) in
            try connection.integer("PRAGMA user_version") ?? 0
        }
        try Schema.check(version, path)
        return connection
    }
}

extension JournalError {
    var detail: String {
        switch self {
        case .unavailable(let detail), .corrupt(let detail): detail
        case .conflict: "somebody else has committed meanwhile"
        }
    }
}

extension Connection {
    /// Copies all of the database into another one, some pages at a time.
    fileprivate func copy(to target: Connection, _ progress: (Int, Int) -> Void) throws(SQLiteError) {
        // The source does not change for who reads it, so the copy never has to begin anew.
        try execute("BEGIN; SELECT count(*) FROM meta")
        defer { rollBack() }
        guard let copy = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLiteError(sqlite3_errcode(target.handle), target.handle)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED {
            code = sqlite3_backup_step(copy, 4096)
            let total = Int(sqlite3_backup_pagecount(copy))
            progress(total - Int(sqlite3_backup_remaining(copy)), total)
        }
        let end = sqlite3_backup_finish(copy)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw SQLiteError(code, target.handle) }
    }
}

/// What a backup says of itself: where somebody goes on from it, revisions that clients may have seen in the file that it was
/// made of come again with other states. So its sessions are of another history.
struct BackupMarker: Sendable, Equatable {
    /// The newest session that was copied, by its number. Those behind it have begun in the copy.
    private let newest: Int
    private let name: Int

    /// Marks a copy that nobody has used yet.
    static func write(into copy: Connection) throws(SQLiteError) {
        let newest = try copy.integer("SELECT max(number) FROM sessions") ?? 0
        for (name, value) in [("copied", newest), ("copy", Int.random(in: 0...(.max)))] {
            try copy.change("INSERT OR REPLACE INTO meta VALUES ('\(name)', ?)", value)
        }
    }

    /// The mark of a file; nil where it is no copy.
    init?(of file: Connection) throws(SQLiteError) {
        guard let newest = try file.integer("SELECT value FROM meta WHERE name = 'copied'"),
            let name = try file.integer("SELECT value FROM meta WHERE name = 'copy'")
        else { return nil }
        (self.newest, self.name) = (newest, name)
    }

    /// The session as it goes on in the copy.
    func apply(to session: StoredSession) -> SessionSummary {
        let kept = session.kept
        guard session.row.number <= newest else { return kept }
        return SessionSummary(
            record: kept.record.renamed(kept.record.historyID + "." + String(UInt(bitPattern: name), radix: 36)),
            revision: kept.revision, lastActiveAt: kept.lastActiveAt)
    }
}

extension SessionHeader {
    fileprivate func renamed(_ history: String) -> SessionHeader {
        SessionHeader(
            id: id, kind: kind, schema: schema, createdAt: createdAt, forkedFrom: forkedFrom, historyID: history,
            initial: initial)
    }
}
