package import Dispatch
import StoreHosting
import Stores

/// When commits are sorted. The more are sorted together, the more of them find a place on the same page.
package struct SortingPolicy: Sendable {
    /// The size of the table `unsorted` above which sorting begins at once.
    let maxBytes: Int
    /// How long commits wait if there are few.
    let delay: DispatchTimeInterval
    /// How many commits are sorted in one step, for which the next commit may have to wait.
    let stepCommits: Int

    package init(maxBytes: Int = 8 << 20, delay: DispatchTimeInterval = .seconds(5), stepCommits: Int = 128) {
        self.maxBytes = maxBytes
        self.delay = delay
        self.stepCommits = stepCommits
    }
}

/// The table `unsorted` as the writer knows it.
struct UnsortedTable {
    /// A row of the table.
    private struct Batch {
        let number: Int
        let byteCount: Int
        let digest: UInt64
    }

    private var batches: [Batch] = []
    /// How many bytes have to be sorted.
    private(set) var byteCount = 0
    private(set) var nextNumber = 1
    /// The sum of the digests of all rows.
    private(set) var sum: UInt64 = 0

    /// The number of the newest row.
    var newest: Int { nextNumber - 1 }

    /// - Parameter isSortable: whether its commits are to be sorted.
    mutating func append(_ bytes: [UInt8], number: Int, isSortable: Bool = true) {
        let digest = CommitBatch.digest(bytes, number: number)
        batches.append(Batch(number: number, byteCount: isSortable ? bytes.count : 0, digest: digest))
        if isSortable { byteCount += bytes.count }
        sum &+= digest
        nextNumber = number + 1
    }

    /// Removes the oldest rows, `limit` at most, none of them newer than `newest`.
    ///
    /// - Returns: the number of the newest that was removed; nil if there was none.
    mutating func removeFirst(_ limit: Int, through newest: Int) -> Int? {
        let removed = batches.prefix(limit).prefix { $0.number <= newest }
        for batch in removed {
            byteCount -= batch.byteCount
            sum &-= batch.digest
        }
        batches.removeFirst(removed.count)
        return removed.last?.number
    }
}

/// The commits of a transaction, which become one row of the table `unsorted`.
struct ArrivedCommits {
    fileprivate var batch = CommitBatch()
    fileprivate var commits: [(session: Int, revision: Int, position: Int)] = []
    /// The newest revision of each session.
    private(set) var newest: [Int: Int] = [:]

    mutating func reserveCapacity(_ count: Int) {
        commits.reserveCapacity(count)
        newest.reserveCapacity(count)
    }

    mutating func append(_ row: CommitRow, of session: Int) {
        commits.append((session, row.revision, batch.append(row, of: session)))
        newest[session] = row.revision
    }
}

/// The limits that are left in one step of sorting.
private struct StepLimits {
    var commits: Int
    var sessions: Int
    var bytes: Int

    var areOpen: Bool { commits > 0 && sessions > 0 && bytes > 0 }
}

/// Sorts the commits that were in the table `unsorted` when it began.
struct Sorting {
    /// The numbers of the sessions to sort with the revision up to which to sort, in descending order.
    fileprivate var sessions: [(number: Int, newest: Int)]
    /// The number of the newest row to sort.
    fileprivate let newest: Int
    /// Whether the commits that cannot be sorted have been moved behind that row.
    fileprivate var hasMovedOthers = false
}

extension WriteConnection {
    /// The other limits of one step.
    private static let sortedSessions = 8
    private static let sortedBytes = 256 << 10
    private static let deletedRows = 64

    /// By how much steps are larger: if sorting falls behind, commits have to wait longer. So the table stays below 32 MiB,
    /// whatever a transaction brings.
    private var stepFactor: Int { 1 << (3 * min(4, max(0, table.byteCount - (6 << 20)) / (6 << 20))) }

    /// Whether there are commits to sort.
    var hasUnsorted: Bool { table.byteCount > 0 }

    /// Whether sorting cannot wait for a quiet moment.
    var mustSort: Bool { sorting != nil || table.byteCount > sortingPolicy.maxBytes }

    func isLive(_ number: Int) throws(SQLiteError) -> Bool {
        try statements.isLive.first({ $0.set(1, number) }, { $0.integer(0) == 1 }) ?? false
    }

    /// Inserts the commits of a transaction.
    ///
    /// - Returns: the table with them.
    func insert(_ arrived: ArrivedCommits, areSortable: Bool = true) throws(SQLiteError) -> UnsortedTable {
        guard !arrived.commits.isEmpty else { return table }
        var next = table
        next.append(arrived.batch.bytes, number: table.nextNumber, isSortable: areSortable)
        try statements.insertUnsorted.run { values in
            values.set(1, next.newest)
            values.set(2, blob: arrived.batch.bytes)
        }
        try statements.recordUnsortedSum.run { $0.set(1, next.sum) }
        return next
    }

    /// The transaction is committed.
    func finish(_ arrived: ArrivedCommits, _ table: UnsortedTable) {
        self.table = table
        unsorted.add(arrived.commits, of: arrived.batch.bytes)
    }

    /// Begins to sort all commits that are in the table now.
    func beginSorting() {
        guard sorting == nil, hasUnsorted else { return }
        let sessions = unsorted.all.filter { !unsortable.contains($0.key) }.sorted { $0.key > $1.key }
        sorting = Sorting(sessions: sessions.map { ($0.key, $0.value.newest) }, newest: table.newest)
    }

    /// Sorts some commits.
    ///
    /// - Parameter isIdle: whether no commit waits. Then the step is synced, so that the next commit does not have to wait for the
    ///   pages of many steps. Otherwise the next commit syncs it.
    /// - Returns: whether it has done something; false if there is nothing to do, or if it fails.
    func sort(isIdle: Bool) -> Bool {
        beginSorting()
        guard let sorting else { return false }
        return sorting.sessions.isEmpty
            ? deleteSorted(through: sorting.newest, isSynced: isIdle) : sort(sorting, isSynced: isIdle)
    }

    private func transaction(isSynced: Bool, _ body: () throws(SQLiteError) -> Bool) -> Bool {
        isSynced ? smallTransaction(body) : unsyncedTransaction(body)
    }

    private func sort(_ sorting: Sorting, isSynced: Bool) -> Bool {
        var done: [(session: Int, revision: Int)] = []
        var rest = sorting
        var limits = StepLimits(
            commits: sortingPolicy.stepCommits * stepFactor, sessions: Self.sortedSessions * stepFactor,
            bytes: Self.sortedBytes * stepFactor)
        let isWritten = transaction(isSynced: isSynced) { () throws(SQLiteError) in
            while let next = rest.sessions.last, limits.areOpen {
                let revision = try sort(next.number, through: next.newest, &limits)
                limits.sessions -= 1
                done.append((next.number, revision))
                if revision >= next.newest { rest.sessions.removeLast() }
            }
            return true
        }
        guard isWritten else { return leaveOutUnsortable() }
        for (session, revision) in done { unsorted.remove(session, through: revision) }
        self.sorting = rest
        return true
    }

    /// Sorts some commits of a session.
    ///
    /// - Returns: the newest revision that is sorted, or that needs not be.
    private func sort(
        _ number: Int, through newest: Int, _ limits: inout StepLimits
    ) throws(SQLiteError) -> Int {
        do throws(SQLiteError) {
            guard let rows = unsorted[number], try isLive(number) else { return .max }
            let head = try sortedHead(of: number)
            guard rows.first <= head.revision &+ 1 else { throw SQLiteError(damage: "commits are missing") }
            guard head.revision < newest else { return head.revision }
            return try sort(rows, of: number, after: head, through: newest, &limits)
        } catch {
            if error.isCorruption || error.isConstraint { unsortable.insert(number) }
            throw error
        }
    }

    private func sort(
        _ rows: UnsortedCommits.Rows, of number: Int, after head: SessionHead, through newest: Int,
        _ limits: inout StepLimits
    ) throws(SQLiteError) -> Int {
        var segment = Segment(of: number)
        var last = (revision: head.revision, checksum: head.chain ?? head.checksum)
        while last.revision < newest, limits.commits > 0, !segment.isFull {
            let checksum = rows.withCommit(at: last.revision + 1) { commit -> UInt64? in
                guard commit.revision == last.revision + 1, commit.follows(last.checksum) else { return nil }
                segment.append(commit)
                return commit.checksum
            }
            guard let checksum = checksum ?? nil else { throw SQLiteError(damage: "an unsorted commit") }
            limits.commits -= 1
            last = (last.revision + 1, checksum)
        }
        limits.bytes -= segment.byteCount
        try insert(segment)
        try recordNewest(last, adding: segment.byteCount, of: number)
        return last.revision
    }

    private func sortedHead(of number: Int) throws(SQLiteError) -> SessionHead {
        let head = try madeReader().head.first({ $0.set(1, number) }, { SessionHead($0) })
        guard let head, head.isIntact else { throw SQLiteError(damage: "the session row has a wrong checksum") }
        return head
    }

    private func unsortableCommits() -> ArrivedCommits {
        var commits = ArrivedCommits()
        for number in unsortable {
            guard let rows = unsorted[number] else { continue }
            for revision in rows.first...rows.newest {
                if let row = rows.row(at: revision) { commits.append(row, of: number) }
            }
        }
        return commits
    }

    /// Leaves out sessions that turned out to be damaged. They are reported when they are used.
    ///
    /// - Returns: whether there were any.
    private func leaveOutUnsortable() -> Bool {
        let count = sorting?.sessions.count
        sorting?.sessions.removeAll { unsortable.contains($0.number) }
        return sorting?.sessions.count != count
    }

    /// Deletes some rows up to a number. Their commits are sorted, except those of damaged sessions, which move to a newer row.
    private func deleteSorted(through newest: Int, isSynced: Bool) -> Bool {
        var rest = table
        var isDone = false
        let isWritten = transaction(isSynced: isSynced) { () throws(SQLiteError) in
            if sorting?.hasMovedOthers == false { rest = try insert(unsortableCommits(), areSortable: false) }
            guard let last = rest.removeFirst(Self.deletedRows, through: newest) else {
                isDone = true
                return true
            }
            try connection.change("DELETE FROM unsorted WHERE number <= ?", last)
            try statements.recordUnsortedSum.run { $0.set(1, rest.sum) }
            return true
        }
        guard isWritten else { return false }
        table = rest
        sorting?.hasMovedOthers = true
        if isDone {
            sorting = nil
            retention.finishSorting()
        }
        return true
    }
}
