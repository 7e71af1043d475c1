/// What is done beside what somebody waits for, in small steps.
extension WriteConnection {
    /// From how many pages of the log on they are taken over, now and then and at once. Taking over keeps the disk busy, which
    /// who commits then notices; and the longer the log, the more often are the same pages in it, which go to the file once.
    private static let usualLog = 1000
    private static let mostLog = 4000
    /// How many rows go in one step.
    private static let step = 200

    /// Whether something small can be written.
    func probe() -> Bool {
        guard forgetTakenBack() else { return false }
        // A full disk may be full of the log: begun anew, it needs no more room.
        if connection.logPages > 0 { _ = takeLogOver() }
        return small { () throws(SQLiteError) in
            try statements.probe.run { _ in }
            return true
        }
    }

    /// Has it written when sessions were used, by their numbers.
    func note(_ uses: [Int: Int]) { self.uses += uses.map { ($0.key, $0.value) } }

    /// False where it does not work now; what could not be written then is not worth another try.
    private func writeUses() -> Bool {
        let some = uses.suffix(Self.step)
        uses.removeLast(some.count)
        return lazily { () throws(SQLiteError) in
            for (number, moment) in some {
                try statements.note.run { values in
                    values.set(1, number)
                    values.set(2, moment)
                }
            }
            return true
        }
    }

    /// Does a small piece of what can wait; false where there is none, or it does not work now.
    func keepHouse() -> Bool {
        if !uses.isEmpty { return writeUses() }
        if let number = house.next { return lazily { () throws(SQLiteError) in try thinOut(number) } }
        if clearsUp { return lazily { () throws(SQLiteError) in try clearUp() } }
        return false
    }

    /// Whether the log should be taken over.
    ///
    /// - Parameter isTime: whether that was asked some time ago for the last time, rather than after each transaction.
    func isLogLong(_ isTime: Bool) -> Bool {
        connection.logPages >= max(isTime ? Self.usualLog : Self.mostLog, nextLook)
    }

    /// Takes over what the checkpointer has left of the log, so that the next commit begins it anew.
    func endLog() {
        // Else somebody reads what was there before, or the disk fails.
        if !takeLogOver() { nextLook = connection.logPages + Self.usualLog }
    }

    /// Whether all of it was.
    private func takeLogOver() -> Bool {
        guard let (log, done) = try? connection.checkpoint(), log == done else { return false }
        connection.forgetLog()
        nextLook = 0
        return true
    }

    /// Runs `body` in a transaction.
    ///
    /// - Returns: what it says; false where it did not work. What is done here can be done again.
    @discardableResult
    private func small(_ body: () throws(SQLiteError) -> Bool) -> Bool {
        do throws(SQLiteError) {
            try statements.begin.run { _ in }
            let result = try body()
            try statements.commit.run { _ in }
            return result
        } catch {
            takeBack()
            return false
        }
    }

    /// Runs `body` in a transaction that is not synced: whoever commits next does that.
    @discardableResult
    private func lazily(_ body: () throws(SQLiteError) -> Bool) -> Bool {
        guard durability == .full else { return small(body) }
        defer { try? connection.execute("PRAGMA synchronous = FULL") }
        try? connection.execute("PRAGMA synchronous = NORMAL")
        return small(body)
    }

    /// Leaves nothing in the log, where that can be done.
    func close() {
        while !uses.isEmpty, writeUses() {}
        _ = try? connection.checkpoint()
    }
}

extension WriteConnection {
    /// Lets some of a session's oldest commits go, and the snapshots that only they needed.
    ///
    /// - Returns: whether anything went.
    private func thinOut(_ number: Int) throws(SQLiteError) -> Bool {
        let newest = try connection.integer("SELECT max(revision) FROM commits WHERE session = ?", number) ?? 0
        let tooOld = try house.ageLimit.map { limit throws(SQLiteError) in try newestCommit(of: number, before: limit) }
        let limit = max(newest - house.keepCommits, tooOld ?? 0)
        if let tooOld, tooOld == limit { try keepSnapshot(at: limit, of: number) }
        let cut = try connection.integer("SELECT cut FROM sessions WHERE number = ?", number)
        let base = try connection.integer(
            "SELECT max(revision) FROM snapshots WHERE session = ? AND revision <= ?", number, limit)
        guard let base, let cut, cut >= 0, cut < base else {
            house.isDone(number)
            return false
        }
        let next = base - cut > Self.step ? cut + Self.step : base
        try connection.change("DELETE FROM commits WHERE session = ? AND revision <= ?", number, next)
        try self.cut(number, at: next)
        guard next == base else { return true }
        try connection.change("DELETE FROM snapshots WHERE session = ? AND revision < ?", number, base)
        house.isDone(number)
        return true
    }

    /// Notes that a session's commits up to a revision were let go.
    func cut(_ number: Int, at revision: Int) throws(SQLiteError) {
        try connection.change("UPDATE sessions SET cut = ? WHERE number = ?", revision, number)
    }

    private func newestCommit(of number: Int, before moment: Int) throws(SQLiteError) -> Int {
        try connection.integer("SELECT max(revision) FROM commits WHERE session = ? AND at < ?", number, moment) ?? 0
    }

    /// Sees that the state at a revision can be made without the commits up to there.
    private func keepSnapshot(at revision: Int, of number: Int) throws(SQLiteError) {
        guard revision > 0 else { return }
        let known = try connection.integer(
            "SELECT 1 FROM snapshots WHERE session = ? AND revision = ?", number, revision)
        let reader = try ReadConnection(connection)
        guard known == nil, let row = try? reader.snapshot(at: revision, of: number) else { return }
        try insert(row, of: number)
    }

    /// Whether it is time to look for what has ended, or is too old.
    private var clearsUp: Bool { house.isTimeToLook() || house.oldestMoment != nil || hasLeavings }

    private func clearUp() throws(SQLiteError) -> Bool {
        if try clearLeavings() { return true }
        if let limit = house.oldestMoment { return try sweep(limit) }
        let answers = try connection.change(
            """
            DELETE FROM answers WHERE at < ? AND number IN (SELECT number FROM answers ORDER BY number LIMIT ?)
            """, house.now() - RetentionPolicy.answersGo, Self.step)
        let sessions = try forgetEnded()
        return answers + sessions > 0
    }

    /// Lets go of what ended sessions have left.
    private func clearLeavings() throws(SQLiteError) -> Bool {
        guard let number = try connection.integer("SELECT session FROM leavings LIMIT 1") else {
            hasLeavings = false
            return false
        }
        let count = try connection.change(
            """
            DELETE FROM commits WHERE session = ?1 AND revision IN
                (SELECT revision FROM commits WHERE session = ?1 ORDER BY revision LIMIT ?2)
            """, number, Self.step)
        guard count < Self.step else { return true }
        try connection.change("DELETE FROM snapshots WHERE session = ?", number)
        try connection.change("DELETE FROM answers WHERE session = ?", number)
        try connection.change("DELETE FROM leavings WHERE session = ?", number)
        return true
    }

    /// Forgets that sessions have been which ended long ago, and the states that only they began with.
    private func forgetEnded() throws(SQLiteError) -> Int {
        let ended = """
            FROM sessions WHERE ended < ?1 AND number NOT IN (SELECT session FROM leavings) ORDER BY ended LIMIT ?2
            """
        let moment = house.now() - RetentionPolicy.endedGo
        try connection.change(
            "DELETE FROM states WHERE NOT shared AND number IN (SELECT initial \(ended))", moment, Self.step)
        return try connection.change(
            "DELETE FROM sessions WHERE number IN (SELECT number \(ended))", moment, Self.step)
    }

    /// Looks whether the next few sessions have commits that are too old.
    private func sweep(_ limit: Int) throws(SQLiteError) -> Bool {
        let found = try connection.prepare(
            """
            SELECT number, (SELECT at FROM commits WHERE session = number ORDER BY revision LIMIT 1)
            FROM sessions WHERE number > ? AND ended IS NULL ORDER BY number LIMIT ?
            """
        ).all(
            { [swept = house.swept] values in
                values.set(1, swept)
                values.set(2, Self.step)
            }, { ($0.integer(0), $0.optionalInteger(1)) })
        for (number, oldest) in found where oldest ?? .max < limit { house.look(at: number) }
        guard let last = found.last, found.count == Self.step else {
            house.hasSwept()
            return true
        }
        house.swept = last.0
        return true
    }
}
