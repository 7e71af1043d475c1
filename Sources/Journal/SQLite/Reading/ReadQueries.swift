import StoreHosting

/// The SQL of a connection for reading, for a file of this version or an older one.
struct ReadQueries {
    private let version: Int
    private let headColumns: String
    private let columns: String
    /// Has the segments of commits.
    private let table: String
    /// A left join, so that a session whose state is missing is found, with a wrong checksum.
    private let sessions = "FROM sessions LEFT JOIN states ON states.number = initial"

    init(version: Int) {
        self.version = version
        headColumns = SessionHead.columns(ofVersion: version)
        columns = "\(SessionRow.columns(ofVersion: version)), \(headColumns)"
        table = Segment.table(version: version)
    }
}

// MARK: One session

extension ReadQueries {
    var session: String { "SELECT \(columns) \(sessions) WHERE id = ?" }

    var head: String { "SELECT \(headColumns) FROM sessions WHERE number = ?" }

    var snapshotBefore: String {
        "SELECT \(SnapshotRow.columns) FROM snapshots WHERE session = ? AND revision <= ? ORDER BY revision DESC LIMIT 1"
    }

    var segments: String { "SELECT commits FROM \(table) WHERE session = ? AND last > ? AND first <= ? ORDER BY last" }

    var wholeSegments: String {
        "SELECT first, last, first_at, last_at, commits FROM \(table) WHERE session = ? ORDER BY last"
    }

    var oldestRevision: String { "SELECT first FROM \(table) WHERE session = ? ORDER BY last LIMIT 1" }

    var idempotencyRecords: String {
        """
        SELECT \(IdempotencyRecord.columns(version: version)) FROM answers WHERE session = ? AND at >= ?
        ORDER BY number
        """
    }

    /// Nil in a file of an older version, whose sessions have no rows for permits.
    var permits: String? {
        version < 7 ? nil : "SELECT \(PermitRecord.columns) FROM permits WHERE session = ? AND id > ''"
    }

    var clients: String { "SELECT \(ClientRow.columns) FROM clients WHERE session = ?" }

    /// Nil in a file of an older version, whose sessions have no owners.
    var personal: String? {
        guard version >= 4 else { return nil }
        return "SELECT id FROM sessions WHERE owner = ? AND kind = ? AND personal AND ended IS NULL"
    }
}

// MARK: Many sessions

extension ReadQueries {
    private var newestCommitAt: String {
        "(SELECT last_at FROM \(table) WHERE session = sessions.number ORDER BY last DESC LIMIT 1)"
    }

    var list: String {
        "SELECT \(columns), \(newestCommitAt) \(sessions) WHERE ended IS NULL AND id > ? ORDER BY id LIMIT ?"
    }

    /// The row of one session, for a list.
    var listed: String { "SELECT \(columns), \(newestCommitAt) \(sessions) WHERE ended IS NULL AND id = ?" }

    /// The sessions behind a place in the index of last uses, the most recent first.
    var uses: String {
        """
        SELECT number, id, kind, owner, last_active, \(newestCommitAt) FROM sessions INDEXED BY sessions_by_use
        WHERE ended IS NULL AND last_active <= ?1 AND (last_active < ?1 OR number < ?2)
        ORDER BY last_active DESC, number DESC LIMIT ?3
        """
    }

    /// The sessions of a subject, which is the text `?1` as the owner and the blob `?2` as a member: one role asks for one of them. First
    /// the ids of the page are found, so that no more rows are read whole. The cross joins begin with the sessions of the subject,
    /// however many others there are.
    func sessions(as role: SessionRole?) -> String {
        let owned = """
            SELECT number, id FROM sessions INDEXED BY sessions_by_owner WHERE owner = ?1 AND ended IS NULL AND id > ?3
            """
        let joined = """
            SELECT number, id FROM members CROSS JOIN sessions ON number = session
            WHERE member = ?2 AND ended IS NULL AND id > ?3
            """
        let wanted =
            switch role {
            case .owner: owned
            case .member: joined
            case nil: "\(owned) UNION \(joined)"
            }
        return """
            SELECT \(columns), \(newestCommitAt) FROM (SELECT number FROM (\(wanted)) ORDER BY id LIMIT ?4) AS wanted
            CROSS JOIN sessions ON sessions.number = wanted.number LEFT JOIN states ON states.number = sessions.initial
            ORDER BY sessions.id
            """
    }

    // The row is read too, because an entry of the index may be damaged.
    var idle: String {
        """
        SELECT \(headColumns), \(newestCommitAt), sessions.id, sessions.number FROM sessions AS entry
        JOIN sessions ON sessions.number = entry.number
        WHERE entry.ended IS NULL AND entry.last_active < ?\(version < 3 ? "" : " AND sessions.due IS NULL")
        ORDER BY entry.last_active LIMIT ?
        """
    }

    var unused: String {
        """
        SELECT \(headColumns), sessions.id, sessions.number, sessions.created FROM sessions AS entry
        JOIN sessions ON sessions.number = entry.number
        WHERE entry.ended IS NULL AND entry.last_active >= ? AND entry.last_active < ?
        ORDER BY entry.last_active LIMIT ?
        """
    }

    /// The ids of at most so many sessions of each kind.
    static let sample = """
        SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY kind) AS place FROM (
                SELECT id, kind FROM sessions WHERE ended IS NULL ORDER BY last_active DESC LIMIT 10000))
        WHERE place <= ?
        """

    /// Nil in a file of an older version, whose timers have no index.
    var due: String? {
        guard version >= 3 else { return nil }
        return """
            SELECT id, due FROM sessions
            WHERE ended IS NULL AND due IS NOT NULL AND (due, id) > (?, ?) AND due <= ? ORDER BY due, id LIMIT ?
            """
    }
}
