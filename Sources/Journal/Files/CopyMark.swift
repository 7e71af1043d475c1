import Stores

/// What a backup says of itself: where somebody goes on from it, revisions that clients may have seen in the file that it was
/// made of come again with other states. So its sessions are of another history.
struct CopyMark: Sendable, Equatable {
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
    func apply(to session: StoredSession) -> KeptSession {
        let kept = session.kept
        guard session.row.number <= newest else { return kept }
        return KeptSession(
            record: kept.record.renamed(kept.record.history + "." + String(UInt(bitPattern: name), radix: 36)),
            revision: kept.revision, lastActiveAt: kept.lastActiveAt)
    }
}

extension SessionRecord {
    fileprivate func renamed(_ history: String) -> SessionRecord {
        SessionRecord(
            id: id, kind: kind, schema: schema, createdAt: createdAt, forkedFrom: forkedFrom, history: history,
            initial: initial)
    }
}
