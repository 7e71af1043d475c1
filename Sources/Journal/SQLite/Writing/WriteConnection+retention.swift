/// Maintenance in small steps, between the transactions that clients wait for.
extension WriteConnection {
    /// The size of the WAL in pages for a periodic checkpoint. Checkpoints slow commits down, and a longer WAL contains
    /// more versions of the same pages, which are written to the file once.
    private static let checkpointPages = 1000
    /// The size of the WAL in pages for an immediate checkpoint.
    private static let maxWALPages = 12_000
    /// How many pages the checkpointer writes at a time before that. While a sync of the file is under way, commits wait for the
    /// disk.
    private static let passPages = 64
    /// The number of rows that one step writes or deletes.
    private static let step = 200
    /// The bytes of commits that one step deletes, and the commit after them.
    private static let stepBytes = 4 << 20
    /// The number of segments of an ended session that one step deletes.
    private static let purgedSegments = 32

    /// Tries a small write; false if it fails.
    func probe() -> Bool {
        guard truncateRolledBackFrames() else { return false }
        // The WAL may fill the disk. After a checkpoint it restarts and needs no more space.
        if connection.walPages > 0 { _ = checkpoint() }
        return smallTransaction { () throws(SQLiteError) in
            try statements.probe.run { _ in }
            return true
        }
    }

    /// Adds times of last use by the numbers of sessions.
    func recordUses(_ uses: [Int: Int]) { lastUses += uses.map { ($0.key, $0.value) } }

    /// Writes some times of last use; false if that fails. They are not worth a second attempt.
    private func writeUses() -> Bool {
        let some = lastUses.suffix(Self.step)
        lastUses.removeLast(some.count)
        return unsyncedTransaction { () throws(SQLiteError) in
            for (number, moment) in some {
                try statements.recordUse.run { values in
                    values.set(1, number)
                    values.set(2, moment)
                }
            }
            return true
        }
    }

    /// Runs one step of maintenance; false if there is nothing to do, or if the step fails.
    ///
    /// - Parameter isIdle: whether no commit waits. Otherwise each transaction sorts some commits anyway.
    func runMaintenance(isIdle: Bool) -> Bool {
        if !lastUses.isEmpty { return writeUses() }
        if isIdle, sorting != nil { return sort(isIdle: true) }
        if let (number, isTrimming) = retention.next { return compact(number, isTrimming: isTrimming) }
        if needsPurge { return unsyncedTransaction { () throws(SQLiteError) in try purge() } }
        return false
    }

    /// The checkpoint that should start; nil if there is none.
    ///
    /// - Parameter isPeriodic: true for the periodic check, false for the check after each transaction.
    func neededCheckpoint(isPeriodic: Bool) -> Checkpointer.Extent? {
        let pages = connection.walPages
        if pages >= max(isPeriodic ? Self.checkpointPages : Self.maxWALPages, checkpointRetryPages) { return .whole }
        if pages < passedPages { passedPages = 0 }
        guard pages - passedPages >= Self.passPages else { return nil }
        passedPages = pages
        return .pass
    }

    /// Checkpoints what the checkpointer has left, so that the next commit restarts the WAL.
    func finishCheckpoint() {
        // It fails while a reader uses older pages, or if the disk fails.
        if !checkpoint() { checkpointRetryPages = connection.walPages + Self.checkpointPages }
    }

    /// Returns whether the whole WAL is checkpointed.
    private func checkpoint() -> Bool {
        guard let (log, done) = try? connection.checkpoint(), log == done else { return false }
        connection.resetWALSize()
        checkpointRetryPages = 0
        return true
    }

    /// Calls `body` in a transaction.
    ///
    /// - Returns: the result of `body`; false if the transaction fails. It can be repeated.
    @discardableResult
    func smallTransaction(_ body: () throws(SQLiteError) -> Bool) -> Bool {
        do throws(SQLiteError) {
            try statements.begin.run { _ in }
            let result = try body()
            try statements.commit.run { _ in }
            return result
        } catch {
            rollBack()
            return false
        }
    }

    /// Calls `body` in a transaction that is not synced. The next commit syncs it.
    @discardableResult
    func unsyncedTransaction(_ body: () throws(SQLiteError) -> Bool) -> Bool {
        guard syncsTransactions else { return smallTransaction(body) }
        defer { try? connection.execute("PRAGMA synchronous = FULL") }
        try? connection.execute("PRAGMA synchronous = NORMAL")
        return smallTransaction(body)
    }

    /// Writes pending times of last use, sorts the commits and checkpoints the WAL, if possible.
    ///
    /// - Parameter epoch: is stored for the next process; nil for none.
    func close(in epoch: Int? = nil) {
        while !lastUses.isEmpty, writeUses() {}
        while sort(isIdle: false) {}
        if let epoch {
            smallTransaction { () throws(SQLiteError) in
                try RelaxedEpoch.put(epoch, into: connection)
                return true
            }
        }
        _ = try? connection.checkpoint()
    }

    /// The WAL stays as it is when this closes.
    func leaveWAL() { connection.leaveWAL() }
}

extension WriteConnection {
    /// Deletes some of a session's oldest commits, and the snapshots that only they needed.
    ///
    /// - Returns: whether there is more to do.
    private func compact(_ number: Int, isTrimming: Bool) -> Bool {
        var isDamaged = false
        let hasMore = unsyncedTransaction { () throws(SQLiteError) in
            do throws(SQLiteError) {
                return try deleteCommits(of: number, isTrimming: isTrimming) || retention.next != nil
            } catch {
                isDamaged = error.isCorruption
                throw error
            }
        }
        guard isDamaged else { return hasMore }
        // The damage is reported when the session is used.
        retention.finishCompaction(of: number)
        return retention.next != nil
    }

    private func deleteCommits(of number: Int, isTrimming: Bool) throws(SQLiteError) -> Bool {
        let reader = try madeReader()
        guard let head = try? reader.head(of: number) else { throw SQLiteError(damage: "the session row") }
        let cut = head.compactedThrough
        let byteCount = try byteCount(of: number, head)
        let limits = retention.limits
        let expired = try retention.ageLimit.map { limit throws(SQLiteError) in
            try newestCommit(of: number, before: limit)
        }
        var limit = max(head.revision - limits.keepCommits, expired ?? 0)
        if let expired, expired == limit { try insertSnapshot(at: limit, of: number, reader) }
        if byteCount > limits.keepBytes { retention.beginTrimming(number) }
        if byteCount > (isTrimming ? limits.trimmedBytes : limits.keepBytes) {
            let next = try connection.integer(
                "SELECT min(revision) FROM snapshots WHERE session = ? AND revision > ?", number, cut)
            limit = max(limit, next ?? 0)
        }
        let pinned = try oldestPinnedRevision(of: number)
        let base = try connection.integer(
            "SELECT max(revision) FROM snapshots WHERE session = ? AND revision <= ?", number,
            min(limit, head.revision, pinned?.revision ?? .max))
        guard let base, cut < base else {
            retention.finishCompaction(
                of: number, pinnedUntil: pinned.flatMap { $0.revision < limit ? $0.until : nil })
            return false
        }
        let some = try commits(of: number, after: cut, through: base, Self.step)
        try deleteSegments(of: number, through: some.last)
        try setCompactedThrough(some.last, of: number, byteCount: byteCount - some.byteCount)
        if some.last == base {
            try connection.change("DELETE FROM snapshots WHERE session = ? AND revision < ?", number, base)
        }
        return true
    }

    /// The oldest revision that a valid idempotency record of a session shows, and when that record expires.
    private func oldestPinnedRevision(of number: Int) throws(SQLiteError) -> (revision: Int, until: Int)? {
        try connection.prepare(
            """
            SELECT revision, at FROM answers WHERE session = ? AND revision IS NOT NULL AND at >= ?
            ORDER BY revision LIMIT 1
            """
        ).first(
            { [oldest = retention.now() - RetentionPolicy.idempotencyTTL] values in
                values.set(1, number)
                values.set(2, oldest)
            }, { ($0.integer(0), $0.integer(1) + RetentionPolicy.idempotencyTTL) })
    }

    /// The bytes of a session's commits, which are counted if an older release wrote some of them.
    private func byteCount(of number: Int, _ head: SessionHead) throws(SQLiteError) -> Int {
        if let byteCount = head.byteCount { return byteCount }
        let cut = head.compactedThrough
        let byteCount = try commits(of: number, after: cut, through: head.revision, .max).byteCount
        try setCompactedThrough(cut, of: number, byteCount: byteCount)
        return byteCount
    }

    /// The bytes of some commits after a revision, as many as one step deletes, and the revision of the last of them.
    private func commits(
        of number: Int, after revision: Int, through last: Int, _ limit: Int
    ) throws(SQLiteError) -> (last: Int, byteCount: Int) {
        var found = (last: revision, byteCount: 0)
        var isWhole = true
        try madeReader().forEachSortedCommit(of: number, after: revision, upTo: last) { commit in
            isWhole = commit.revision == found.last + 1
            found = (commit.revision, found.byteCount + commit.byteCount)
            return isWhole && (limit == .max || found.last - revision < limit && found.byteCount < Self.stepBytes)
        }
        guard isWhole, found.last > revision || last <= revision else {
            throw SQLiteError(damage: "commits are missing")
        }
        return found
    }

    /// Deletes the commits of a session up to a revision. A segment that has later ones too is replaced by one with these.
    private func deleteSegments(of number: Int, through last: Int) throws(SQLiteError) {
        var rest = Segment(of: number)
        let end = try connection.integer(
            """
            SELECT CASE WHEN first <= ?2 THEN last END FROM segments WHERE session = ?1 AND last > ?2 ORDER BY last LIMIT 1
            """, number, last)
        if let end {
            try madeReader().forEachSortedCommit(of: number, after: last, upTo: end) { commit in
                rest.append(commit)
                return true
            }
        }
        try connection.change("DELETE FROM segments WHERE session = ? AND last <= ?", number, end ?? last)
        try insert(rest)
    }

    /// Records that a session's commits up to a revision were deleted, and the bytes of the others.
    func setCompactedThrough(_ revision: Int, of number: Int, byteCount: Int) throws(SQLiteError) {
        try connection.change(
            """
            UPDATE sessions SET cut = ?2, bytes = ?3,
                seal = head_checksum(checksum, newest, chain, ?2, ?3, due, last_active, shares)
            WHERE number = ?1
            """, number, revision, byteCount)
    }

    private func newestCommit(of number: Int, before moment: Int) throws(SQLiteError) -> Int {
        // Only the segments between these have commits from before and after.
        let whole = "SELECT max(last) FROM segments WHERE session = ? AND last_at < ?"
        let some = "SELECT max(last) FROM segments WHERE session = ? AND first_at < ?"
        var newest = try connection.integer(whole, number, moment) ?? 0
        let last = try connection.integer(some, number, moment) ?? 0
        guard newest < last else { return newest }
        try madeReader().forEachSortedCommit(of: number, after: newest, upTo: last) { commit in
            if commit.committedAt < moment { newest = commit.revision }
            return true
        }
        return newest
    }

    /// Inserts a snapshot at a revision, unless there is one, so that the commits up to it can be deleted.
    private func insertSnapshot(at revision: Int, of number: Int, _ reader: ReadConnection) throws(SQLiteError) {
        guard revision > 0 else { return }
        let known = try connection.integer(
            "SELECT 1 FROM snapshots WHERE session = ? AND revision = ?", number, revision)
        guard known == nil, let row = try? reader.snapshot(at: revision, of: number) else { return }
        try insert(row, of: number)
    }

    /// Whether expired rows or rows of ended sessions may have to be deleted.
    private var needsPurge: Bool { retention.isPurgeDue() || retention.sweepLimit != nil || hasPendingDeletions }

    private func purge() throws(SQLiteError) -> Bool {
        if try purgeEndedSessions() { return true }
        if let limit = retention.sweepLimit { return try sweep(limit) }
        let answers = try connection.change(
            """
            DELETE FROM answers WHERE at < ? AND number IN (SELECT number FROM answers ORDER BY number LIMIT ?)
            """, retention.now() - RetentionPolicy.idempotencyTTL, Self.step)
        let sessions = try deleteTombstones()
        // The rest goes at once, and not when the next purge is due.
        hasPendingDeletions = max(answers, sessions) == Self.step
        return answers + sessions > 0
    }

    /// Deletes rows of an ended session.
    private func purgeEndedSessions() throws(SQLiteError) -> Bool {
        let next = try connection.integer(
            "SELECT session FROM leavings WHERE session > ? ORDER BY session LIMIT 1", deletionPosition)
        guard let number = next else {
            (hasPendingDeletions, deletionPosition) = (false, 0)
            return false
        }
        do throws(SQLiteError) {
            try purge(number)
        } catch {
            guard error.isCorruption else { throw error }
            deletionPosition = number
        }
        return true
    }

    private func purge(_ number: Int) throws(SQLiteError) {
        let count = try connection.change(
            """
            DELETE FROM segments WHERE session = ?1 AND last IN
                (SELECT last FROM segments WHERE session = ?1 ORDER BY last LIMIT ?2)
            """, number, Self.purgedSegments)
        guard count < Self.purgedSegments else { return }
        try connection.change("DELETE FROM snapshots WHERE session = ?", number)
        try connection.change("DELETE FROM answers WHERE session = ?", number)
        // Their ids tell for as long as the session is remembered which of them were in force.
        try connection.change("UPDATE permits SET terms = '' WHERE session = ?", number)
        try connection.change("DELETE FROM clients WHERE session = ?", number)
        try connection.change("DELETE FROM members WHERE session = ?", number)
        try connection.change("DELETE FROM leavings WHERE session = ?", number)
    }

    /// Deletes the tombstones of sessions that ended long ago, and before them their permits and initial states.
    private func deleteTombstones() throws(SQLiteError) -> Int {
        let ended = """
            FROM sessions WHERE ended < ?1 AND number NOT IN (SELECT session FROM leavings) ORDER BY ended LIMIT ?2
            """
        let moment = retention.now() - RetentionPolicy.tombstoneTTL
        let permits = try connection.change(
            """
            DELETE FROM permits WHERE (session, id) IN
                (SELECT session, id FROM permits WHERE session IN (SELECT number \(ended)) LIMIT ?2)
            """, moment, Self.step)
        if permits == Self.step { return permits }
        try connection.change(
            "DELETE FROM states WHERE NOT shared AND number IN (SELECT initial \(ended))", moment, Self.step)
        return try connection.change(
            "DELETE FROM sessions WHERE number IN (SELECT number \(ended))", moment, Self.step)
    }

    /// Checks whether the next few sessions have expired commits.
    private func sweep(_ limit: Int) throws(SQLiteError) -> Bool {
        let found = try connection.prepare(
            """
            SELECT number, (SELECT first_at FROM segments WHERE session = sessions.number ORDER BY last LIMIT 1)
            FROM sessions WHERE number > ? AND ended IS NULL ORDER BY number LIMIT ?
            """
        ).all(
            { [sweepPosition = retention.sweepPosition] values in
                values.set(1, sweepPosition)
                values.set(2, Self.step)
            }, { ($0.integer(0), $0.optionalInteger(1)) })
        for (number, oldest) in found where oldest ?? .max < limit { retention.scheduleCompaction(of: number) }
        guard let last = found.last, found.count == Self.step else {
            retention.finishSweep()
            return true
        }
        retention.sweepPosition = last.0
        return true
    }
}
