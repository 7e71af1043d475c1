import StoreHosting

extension SnapshotRow {
    /// The columns of the table `snapshots` that statements select.
    static let columns = "revision, state, hidden, chain, checksum"

    /// - Parameter row: the columns ``columns``.
    init(_ row: borrowing Row) {
        self.init(
            revision: row.integer(0), state: row.bytes(1), privateState: row.optionalBytes(2), chain: row.checksum(3),
            checksum: row.checksum(4))
    }
}

extension IdempotencyRecord {
    /// The columns that statements select in a file of that schema version.
    static func columns(version: Int) -> String {
        "key, fingerprint, answer, \(version < 3 ? "NULL" : "revision"), at, checksum"
    }

    /// - Parameter row: the columns ``columns(version:)``. Nil if the checksum is wrong.
    init?(_ row: borrowing Row) {
        self.init(
            key: row.text(0), fingerprint: row.checksum(1), response: row.bytes(2), revision: row.optionalInteger(3),
            at: row.integer(4))
        guard checksum == row.checksum(5) else { return nil }
    }
}

extension ClientRow {
    /// The columns that statements select.
    static let columns = "mark, content, checksum"

    /// - Parameter row: the columns ``columns``. Nil if the checksum is wrong.
    init?(_ row: borrowing Row) {
        self.init(mark: row.text(0), content: row.bytes(1))
        guard checksum == row.checksum(2) else { return nil }
    }
}

extension PermitRecord {
    /// The columns that statements select.
    static let columns = "id, terms, checksum"

    /// The row of a session of which permits were revoked. It is no permit: while it is there, the others are all that are left, also
    /// if there are none.
    static let revocation = PermitRecord(id: "", content: [])

    /// - Parameter row: the columns ``columns``. Nil if the checksum is wrong.
    init?(_ row: borrowing Row) {
        self.init(id: row.text(0), content: row.bytes(1))
        guard checksum == row.checksum(2) else { return nil }
    }
}
