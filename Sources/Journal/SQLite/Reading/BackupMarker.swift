import StoreHosting

/// Marks a database as a backup.
///
/// After a restore, revisions that clients have seen may occur again with other states. So the sessions of a backup get
/// another history ID.
struct BackupMarker: Sendable, Equatable {
    /// The number of the newest copied session. Later sessions were created in the copy.
    private let newest: Int
    private let name: Int

    /// Marks a new copy.
    static func write(into copy: Connection) throws(SQLiteError) {
        let newest = try copy.integer("SELECT max(number) FROM sessions") ?? 0
        for (name, value) in [("copied", newest), ("copy", Int.random(in: 0...(.max)))] {
            try copy.change("INSERT OR REPLACE INTO meta VALUES ('\(name)', ?)", value)
        }
    }

    /// Reads the marker of a database; nil if it is not a backup.
    init?(of file: Connection) throws(SQLiteError) {
        guard let newest = try file.integer("SELECT value FROM meta WHERE name = 'copied'"),
            let name = try file.integer("SELECT value FROM meta WHERE name = 'copy'")
        else { return nil }
        (self.newest, self.name) = (newest, name)
    }

    /// The session with the history ID of the backup.
    func apply(to session: StoredSession) -> SessionSummary {
        let summary = session.summary
        guard session.row.number <= newest else { return summary }
        return SessionSummary(
            header: summary.header.renamed(
                history: summary.header.historyID + "." + String(UInt(bitPattern: name), radix: 36)),
            revision: summary.revision, lastActiveAt: summary.lastActiveAt, shareGeneration: summary.shareGeneration,
            permits: summary.permits, clients: summary.clients, nextDeadline: summary.nextDeadline)
    }
}
