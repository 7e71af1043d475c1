import Platform
package import StoreHosting

extension SQLiteStorage {
    /// A session of a file, as an operator sees it.
    package struct ListedSession: Sendable, Equatable {
        /// Its id.
        package let id: String
        /// The stored session, in short; nil if it cannot be read.
        package let summary: SessionSummary?
        /// The reason why a server cannot use it; nil if a server can.
        package let damage: String?

        package init(id: String, summary: SessionSummary?, damage: String?) {
            self.id = id
            self.summary = summary
            self.damage = damage
        }
    }

    /// Loads each session, as a server would, and lists them.
    ///
    /// - Parameters:
    ///   - path: the database file. A server may use it.
    ///   - isWanted: whether to load the session of an id.
    ///   - body: called with each session that has not ended, in no particular order.
    package static func listSessions(
        _ path: String, where isWanted: (String) -> Bool = { _ in true }, _ body: (ListedSession) -> Void
    ) throws(StorageError) {
        let connection = try open(path)
        let reader = try storageErrors(path) { () throws(SQLiteError) in try makeReader(connection).0 }
        try storageErrors(path) { () throws(SQLiteError) in
            _ = try forEachSession(reader) { id in
                if isWanted(id), let session = listed(id, reader) { body(session) }
            }
        }
    }

    private static func listed(_ id: String, _ reader: ReadConnection) -> ListedSession? {
        do throws(JournalError) {
            switch try reader.inReadTransaction({ reader throws(JournalError) in try reader.find(id, answersSince: 0) })
            {
            case .ended: return nil
            case .unknown: throw .corrupt("the index does not find it by its id")
            case .session(let session): return ListedSession(id: id, summary: session.summary, damage: nil)
            }
        } catch {
            return ListedSession(id: id, summary: nil, damage: error.detail)
        }
    }

    /// Deletes a session, damaged or not, from a database that no server uses. Its id is remembered for an hour.
    ///
    /// - Parameters:
    ///   - id: the session ID.
    ///   - path: the database file.
    package static func deleteSession(_ id: String, from path: String) throws(StorageError) {
        let file = try StorageFile(path)
        try StorageLock.check(file.path)
        guard file.exists else { throw .missing(path: path) }
        try file.checkHeader()
        let lock = try StorageLock(file.path)
        defer { lock.release() }
        try file.prepare()
        let (connection, version) = try openKnown(path, file, .write)
        try SchemaDifferences.reject(in: connection, version: version, path)
        // Before anything is written: also the upgrade of an older file, and the switch of a backup to a WAL.
        guard mayHave(id, connection) else { throw .refused("\(path) has no session \(id)") }
        try Schema.prepare(connection, path)
        let isDeleted = try storageErrors(path) { () throws(SQLiteError) in
            let time = JournalTime.since(try SessionTimeReference(of: connection))
            let database = try WriteConnection(
                connection, syncsTransactions: true, RetentionPolicy(RetentionLimits(), now: time))
            defer { database.close() }
            // Nobody knows how much of the time since the last server counts: the later moment is remembered longer.
            return try database.delete(id, at: max(time(), systemTime()))
        }
        if !isDeleted { throw .refused("\(path) has no session \(id)") }
    }

    /// Whether there is a session, as far as damage lets it be known.
    private static func mayHave(_ id: String, _ connection: Connection) -> Bool {
        ["", "NOT INDEXED"].contains { hint in
            do throws(SQLiteError) {
                return try connection.prepare("SELECT 1 FROM sessions \(hint) WHERE id = ? AND ended IS NULL")
                    .first({ $0.set(1, text: id) }, { $0.integer(0) }) != nil
            } catch {
                return true
            }
        }
    }
}

extension WriteConnection {
    /// Ends a session, also one that the index of ids does not find, and deletes as much of it as possible.
    ///
    /// - Returns: whether it existed.
    fileprivate func delete(_ id: String, at moment: Int) throws(SQLiteError) -> Bool {
        defer { connection.rollBack() }
        try statements.begin.run { _ in }
        var result = WriteResult()
        try end(id, at: moment, &result)
        if result.liveChange == 0 {
            let number = try connection.prepare(
                "SELECT number FROM sessions NOT INDEXED WHERE id = ? AND ended IS NULL"
            )
            .first({ $0.set(1, text: id) }, { $0.integer(0) })
            guard let number else { return false }
            try connection.change("UPDATE sessions SET ended = ? WHERE number = ?", moment, number)
            try statements.insertPendingDeletion.run { $0.set(1, number) }
        }
        try statements.commit.run { _ in }
        while hasPendingDeletions, runMaintenance(isIdle: true) {}
        return true
    }
}
