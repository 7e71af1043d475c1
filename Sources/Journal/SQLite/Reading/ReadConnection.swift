import Dispatch
import JSON
import Locks
import StoreHosting
import Stores
import Threads

/// A connection for reading, with its prepared statements.
final class ReadConnection {
    let connection: Connection
    private let begin: Statement
    private let numberOfSession: Statement
    private let unsorted: UnsortedCommits
    /// The unsorted commits as they were before the read transaction began, by the numbers of the sessions. Those that were
    /// sorted since are found there; so what is read of a session is complete up to some revision.
    private var unsortedRows: [Int: UnsortedCommits.Rows] = [:]
    let session: Statement
    let head: Statement
    let snapshotBefore: Statement
    let chainAt: Statement
    private let segments: Statement
    let wholeSegments: Statement
    let oldestRevision: Statement
    let idempotencyRecords: Statement
    /// Nil in a file of an older version, whose sessions have no rows for permits.
    let permits: Statement?
    /// Nil in a file without the table, which a server has not opened since there are clients.
    let clients: Statement?
    private let list: Statement
    private let idle: Statement
    private let unused: Statement
    /// Nil in a file of an older version, whose timers have no index.
    private let due: Statement?
    /// Nil in a file of an older version, whose sessions have no owners.
    private let personal: Statement?

    /// - Parameter unsorted: the commits that are not sorted yet, kept up to date by the writer.
    init(_ connection: Connection, _ unsorted: UnsortedCommits) throws(SQLiteError) {
        self.connection = connection
        self.unsorted = unsorted
        begin = try connection.prepare("BEGIN")
        // Commands may read a file of an older version before a server has migrated it.
        let queries = ReadQueries(version: try connection.integer("PRAGMA user_version") ?? 0)
        numberOfSession = try connection.prepare("SELECT number FROM sessions WHERE id = ?")
        session = try connection.prepare(queries.session)
        head = try connection.prepare(queries.head)
        snapshotBefore = try connection.prepare(queries.snapshotBefore)
        chainAt = try connection.prepare("SELECT chain FROM snapshots WHERE session = ? AND revision = ?")
        segments = try connection.prepare(queries.segments)
        wholeSegments = try connection.prepare(queries.wholeSegments)
        oldestRevision = try connection.prepare(queries.oldestRevision)
        idempotencyRecords = try connection.prepare(queries.idempotencyRecords)
        permits = try queries.permits.map { (sql) throws(SQLiteError) in try connection.prepare(sql) }
        clients = try Schema.hasClients(connection) ? connection.prepare(queries.clients) : nil
        list = try connection.prepare(queries.list)
        idle = try connection.prepare(queries.idle)
        unused = try connection.prepare(queries.unused)
        due = try queries.due.map { (sql) throws(SQLiteError) in try connection.prepare(sql) }
        personal = try queries.personal.map { (sql) throws(SQLiteError) in try connection.prepare(sql) }
    }

    /// The sessions that a read transaction concerns.
    enum Scope: Sendable {
        case none
        case all
        case id(String)
        case number(Int)
    }

    /// Calls `body` in a read transaction: it sees one snapshot of the database.
    func inReadTransaction<Value>(
        of scope: Scope = .all, _ body: (ReadConnection) throws(JournalError) -> Value
    ) throws(JournalError) -> Value {
        // In this order, because a commit moves from the unsorted ones to the sorted ones.
        try sql { () throws(SQLiteError) in
            unsortedRows = try rows(of: scope)
            try begin.run { _ in }
        }
        defer {
            connection.rollBack()
            unsortedRows = [:]
        }
        return try body(self)
    }

    private func rows(of scope: Scope) throws(SQLiteError) -> [Int: UnsortedCommits.Rows] {
        switch scope {
        case .none: return [:]
        case .all: return unsorted.all
        case .number(let number): return unsorted[number].map { [number: $0] } ?? [:]
        case .id(let id):
            guard !unsorted.isEmpty,
                let number = try numberOfSession.first({ $0.set(1, text: id) }, { $0.integer(0) })
            else { return [:] }
            return unsorted[number].map { [number: $0] } ?? [:]
        }
    }

    /// The newest revision of a session whose other commits end with `sorted`.
    func newestRevision(of number: Int, after sorted: Int) -> Int { max(sorted, unsortedRows[number]?.newest ?? 0) }

    /// A commit that was not sorted before the read transaction began; nil if there is none of that revision.
    func unsortedCommit(of number: Int, at revision: Int) -> CommitRow? { unsortedRows[number]?.row(at: revision) }

    /// When the newest commit of a session was made, as far as it is not sorted yet.
    private func unsortedCommitTime(of number: Int) -> Int {
        guard let rows = unsortedRows[number] else { return 0 }
        return rows.row(at: rows.newest)?.committedAt ?? 0
    }

    /// Calls `body` with the sorted commits of a session after one revision and up to another, oldest first, until it returns
    /// false.
    func forEachSortedCommit(
        of number: Int, after revision: Int, upTo last: Int, _ body: (BatchedCommit) -> Bool
    ) throws(SQLiteError) {
        var isWhole = true
        var isDone = false
        try segments.rows(
            { values in
                values.set(1, number)
                values.set(2, revision)
                values.set(3, last)
            },
            { row in
                isWhole = row.withBytes(0) { bytes in
                    Segment.forEachCommit(in: bytes, of: number) { commit in
                        if commit.revision > last { isDone = true }
                        if commit.revision > revision, !isDone { isDone = !body(commit) || commit.revision == last }
                        return !isDone
                    }
                }
                return isWhole && !isDone
            })
        guard isWhole else { throw SQLiteError(damage: "commits of the session cannot be read") }
    }

    /// Calls `body` and converts its errors.
    func sql<Value>(_ body: () throws(SQLiteError) -> Value) throws(JournalError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw JournalError(error)
        }
    }
}

extension ReadConnection {
    /// At most `limit` sessions in the order of their ids, after `id`. Sessions with a damaged row are left out.
    func list(after id: String?, limit: Int) throws(JournalError) -> [SessionSummary] {
        try list(after: id, limit: limit) { last, limit throws(SQLiteError) in
            try list.all(
                { values in
                    values.set(1, text: last)
                    values.set(2, limit)
                }, { (SessionRow($0), $0.integer(SessionRow.columnCount)) })
        }
    }

    /// The sessions that a subject owns or is a member of.
    func sessions(
        of subject: Subject, as role: SessionRole?, after id: String?, limit: Int
    ) throws(JournalError) -> [SessionSummary] {
        let text = Array(subject.utf8)
        let statement = try sql { () throws(SQLiteError) in
            try connection.prepare(ReadQueries(version: Schema.version).sessions(as: role))
        }
        return try list(after: id, limit: limit) { last, limit throws(SQLiteError) in
            try statement.all(
                { values in
                    values.set(1, text: text)
                    values.set(2, blob: text)
                    values.set(3, text: last)
                    values.set(4, limit)
                }, { (SessionRow($0), $0.integer(SessionRow.columnCount)) })
        }
    }

    /// - Parameter read: the rows after an id, each with the time of its newest commit.
    private func list(
        after id: String?, limit: Int,
        _ read: (_ last: String, _ limit: Int) throws(SQLiteError) -> [(SessionRow, Int)]
    ) throws(JournalError) -> [SessionSummary] {
        var found: [SessionSummary] = []
        var last = id ?? ""
        while found.count < limit {
            let rest = limit - found.count
            let rows = try sql { () throws(SQLiteError) in try read(last, rest) }
            found += rows.compactMap { summary($0, committedAt: $1) }
            guard rows.count == rest, let next = rows.last?.0.header.id, next > last else { break }
            last = next
        }
        return found
    }

    /// The summary of a session in a list; nil if its row is damaged.
    ///
    /// - Parameters:
    ///   - committedAt: when its newest sorted commit was made.
    ///   - usedAt: a last use that is not written yet.
    private func summary(_ row: SessionRow, committedAt: Int, usedAt: Int = 0) -> SessionSummary? {
        guard row.isIntact else { return nil }
        return SessionSummary(
            header: row.header, revision: newestRevision(of: row.number, after: row.head.revision),
            lastActiveAt: max(row.head.lastActiveAt, committedAt, unsortedCommitTime(of: row.number), usedAt),
            shareGeneration: row.head.shareGeneration, nextDeadline: row.head.nextDeadline)
    }

    /// The summaries of some sessions, but of none that is damaged.
    ///
    /// - Parameter pending: the last uses that are not written yet, by the numbers of the sessions.
    func summaries(of ids: [String], _ pending: [Int: Int]) throws(JournalError) -> [SessionSummary] {
        try sql { () throws(SQLiteError) in
            let statement = try connection.prepare(ReadQueries(version: Schema.version).listed)
            var found: [SessionSummary] = []
            for id in ids {
                let row = try statement.first(
                    { $0.set(1, text: id) }, { (SessionRow($0), $0.integer(SessionRow.columnCount)) })
                guard let (row, committedAt) = row, row.header.id == id else { continue }
                if let summary = summary(row, committedAt: committedAt, usedAt: pending[row.number] ?? 0) {
                    found.append(summary)
                }
            }
            return found
        }
    }

    /// At most `limit` sessions behind a place in the index of last uses.
    ///
    /// - Parameter pending: the last uses that are not written yet, by the numbers of the sessions.
    func uses(
        after place: SessionUses.Place, limit: Int, _ pending: [Int: Int]
    ) throws(JournalError) -> SessionUses {
        let rows = try sql { () throws(SQLiteError) in
            try connection.prepare(ReadQueries(version: Schema.version).uses).all(
                { values in
                    values.set(1, place.moment)
                    values.set(2, Int(place.tie) ?? .max)
                    values.set(3, limit)
                },
                { row in
                    let number = row.integer(0)
                    let indexed = row.integer(4)
                    let last = max(row.integer(5), unsortedCommitTime(of: number), pending[number] ?? 0)
                    let use = SessionUse(
                        id: row.text(1), kind: row.text(2),
                        owner: row.optionalBytes(3).map { Subject(String(decoding: $0, as: UTF8.self)) },
                        lastActiveAt: last, indexed: indexed)
                    return (use, SessionUses.Place(moment: indexed, tie: String(number)))
                })
        }
        return SessionUses(rows.map(\.0), next: rows.count < limit ? nil : rows.last?.1)
    }

    /// The ids of at most `limit` sessions that were last used before a time. Damaged sessions are left to the operator.
    func idle(since moment: Int, limit: Int) throws(JournalError) -> [String] {
        let found = try sql { () throws(SQLiteError) in
            try idle.all(
                { values in
                    values.set(1, moment)
                    values.set(2, limit)
                },
                { row in
                    let next = SessionHead.columnCount
                    return (
                        SessionHead(row), committedAt: row.integer(next), id: row.text(next + 1),
                        number: row.integer(next + 2)
                    )
                })
        }
        return found.filter { found in
            let lastUse = max(found.0.lastActiveAt, found.committedAt, unsortedCommitTime(of: found.number))
            return found.0.isIntact && lastUse < moment
        }.map(\.id)
    }

    /// The sessions that were never used, among the `limit` sessions that were last used first from `start` on. Damaged sessions
    /// are left to the operator.
    func unused(from start: Int, before moment: Int, limit: Int) throws(JournalError) -> UnusedSessions {
        let rows = try sql { () throws(SQLiteError) in
            try unused.all(
                { values in
                    values.set(1, start)
                    values.set(2, moment)
                    values.set(3, limit)
                },
                { row in
                    let next = SessionHead.columnCount
                    return (
                        SessionHead(row), number: row.integer(next + 1),
                        UnusedSessions.Session(id: row.text(next), createdAt: row.integer(next + 2))
                    )
                })
        }
        let found = rows.filter { head, number, session in
            head.isIntact && newestRevision(of: number, after: head.revision) == 0
                && head.lastActiveAt == session.createdAt
        }.map(\.2)
        return UnusedSessions(
            found, oldest: found.first?.createdAt, last: rows.count < limit ? nil : rows.last?.0.lastActiveAt,
            from: start, before: moment)
    }

    /// The id of a subject's personal session of a kind; nil if there is none.
    func personalSession(of owner: Subject, kind: String) throws(JournalError) -> String? {
        guard let personal else { return nil }
        return try sql { () throws(SQLiteError) in
            try personal.first(
                { values in
                    values.set(1, text: owner.text)
                    values.set(2, text: kind)
                }, { $0.text(0) })
        }
    }

    /// At most `limit` sessions whose next timer is due at a moment, after `last`.
    func due(after last: DueSession?, until moment: Int, limit: Int) throws(JournalError) -> [DueSession] {
        guard let due else { return [] }
        return try sql { () throws(SQLiteError) in
            try due.all(
                { values in
                    values.set(1, last?.deadline ?? .min)
                    values.set(2, text: last?.id ?? "")
                    values.set(3, moment)
                    values.set(4, limit)
                }, { DueSession(id: $0.text(0), deadline: $0.integer(1)) })
        }
    }
}

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
    private let unsorted: UnsortedCommits
    private let watch: FileWatch
    private let lookup = ReaderConnection("journal.lookup")
    private let history = ReaderConnection("journal.history")

    /// - Parameters:
    ///   - path: a database that the writer has opened and checked.
    ///   - vfs: the name of SQLite's VFS; nil for the default.
    ///   - unsorted: the writer's.
    ///   - watch: knows whether the path still leads to the writer's file.
    init(_ path: String, vfs: String?, _ unsorted: UnsortedCommits, _ watch: FileWatch) {
        self.watch = watch
        self.path = path
        self.vfs = vfs
        self.unsorted = unsorted
    }

    /// Reads what a request needs to proceed.
    func find<Value: Sendable>(
        of scope: ReadConnection.Scope, _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value { try await run(lookup, scope, body) }

    /// Reads what may take longer.
    func read<Value: Sendable>(
        of scope: ReadConnection.Scope, _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value { try await run(history, scope, body) }

    private func run<Value: Sendable>(
        _ connection: ReaderConnection, _ scope: ReadConnection.Scope,
        _ body: @escaping @Sendable (ReadConnection) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        let result: Result<Value, JournalError> = await Promise.value { done in
            connection.queue.async { [self] in
                done(
                    connection.reader.withLock { reader in
                        Result { () throws(JournalError) in
                            try opened(&reader).inReadTransaction(of: scope, body)
                        }
                    })
            }
        }
        return try result.get()
    }

    private func opened(_ reader: inout ReadConnection?) throws(JournalError) -> ReadConnection {
        if let reader { return reader }
        let new: ReadConnection
        do throws(SQLiteError) {
            let connection = try Connection(path, .read, vfs: vfs)
            try connection.execute("PRAGMA cache_size = -4000")
            new = try ReadConnection(connection, unsorted)
        } catch {
            throw JournalError(error)
        }
        if let loss = watch.lookUp() { throw .unavailable(loss.detail) }
        reader = new
        return new
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
