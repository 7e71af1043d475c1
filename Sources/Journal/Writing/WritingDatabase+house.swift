/// What is done beside what somebody waits for.
extension WritingDatabase {
    /// From how many pages of the log on they are taken over, where there is time, and where there is none.
    private static let usualLog = 1000
    private static let mostLog = 8000

    /// Whether something small can be written.
    func probe() -> Bool {
        do throws(SQLiteError) {
            try statements.begin.run { _ in }
            try statements.probe.run { _ in }
            try statements.commit.run { _ in }
            return true
        } catch {
            connection.rollBack()
            return false
        }
    }

    /// Writes when sessions were used, by their numbers.
    func note(_ uses: [Int: Int]) {
        guard !uses.isEmpty else { return }
        small { () throws(SQLiteError) in
            for (number, moment) in uses {
                try statements.note.run { values in
                    values.set(1, number)
                    values.set(2, moment)
                }
            }
        }
    }

    /// Does a small piece of what can wait; false where there is none, or it does not work now.
    func keepHouse() -> Bool {
        if connection.logPages >= Self.usualLog, takeLogOver() { return true }
        return false
    }

    /// Keeps the log from growing without end where there is never time.
    func keepLogShort() {
        if connection.logPages >= Self.mostLog { _ = takeLogOver() }
    }

    /// Whether all of it was.
    private func takeLogOver() -> Bool {
        guard let (log, done) = try? connection.checkpoint(), log == done else { return false }
        connection.forgetLog()
        return true
    }

    /// Runs `body` in a transaction. What it does can be done again, so nobody needs to hear of a failure.
    @discardableResult
    func small(_ body: () throws(SQLiteError) -> Void) -> Bool {
        do throws(SQLiteError) {
            try statements.begin.run { _ in }
            try body()
            try statements.commit.run { _ in }
            return true
        } catch {
            connection.rollBack()
            return false
        }
    }

    /// Leaves nothing in the log, where that can be done.
    func close() { _ = try? connection.checkpoint() }
}
