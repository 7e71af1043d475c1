/// The ``SQLiteJournal/epoch`` of a database, a row of the table `meta`.
///
/// The row is there only while no process with relaxed durability has the file open, and only if the last one has lost no commit.
enum RelaxedEpoch {
    /// Removes the epoch of the process before, durably; makes another one if that process may have lost commits.
    static func take(from file: Connection) throws(SQLiteError) -> Int {
        let stored = try file.integer("SELECT value FROM meta WHERE name = 'epoch'")
        // The connection does not use relaxed durability yet, but this must not depend on that.
        if stored != nil { try file.execute("PRAGMA synchronous = FULL; DELETE FROM meta WHERE name = 'epoch'") }
        return stored ?? Int.random(in: 0...Int(UInt32.max))
    }

    /// Stores the epoch for the next process. The commits must be in the file already.
    static func put(_ epoch: Int, into file: Connection) throws(SQLiteError) {
        try file.change("INSERT OR REPLACE INTO meta VALUES ('epoch', ?)", epoch)
    }
}
