import JSON
import StoreHosting
import Stores

/// A row of the table `sessions`, joined with its initial state.
struct SessionRow: Sendable {
    let number: Int
    let header: SessionHeader
    let endedAt: Int?
    let head: SessionHead

    /// How many columns these are, with those of ``SessionHead``.
    static let columnCount: Int32 = 12 + SessionHead.columnCount

    /// The columns that statements select, before those of ``SessionHead``.
    static func columns(ofVersion version: Int) -> String {
        "sessions.number, id, kind, schema, created, ended, forked_from, history, json, hidden, "
            + (version < 4 ? "NULL, 0" : "owner, personal")
    }

    /// - Parameter row: the columns ``columns(ofVersion:)``, and those of ``SessionHead``.
    init(_ row: borrowing Row) {
        number = row.integer(0)
        header = SessionHeader(
            id: row.text(1), kind: row.text(2), schema: row.integer(3), createdAt: row.integer(4),
            forkedFrom: row.optionalInteger(6), historyID: row.text(7),
            initial: StateSnapshot(json: row.bytes(8), privateState: row.optionalBytes(9)),
            owner: row.optionalBytes(10).map { Subject(String(decoding: $0, as: UTF8.self)) },
            isPersonal: row.integer(11) != 0)
        endedAt = row.optionalInteger(5)
        head = SessionHead(row, from: 12)
    }

    /// Whether the checksums are right.
    ///
    /// The time of the end has no checksum. A single bit can turn NULL into 0, and two can turn it into 1.
    var isIntact: Bool { head.isIntact && head.checksum == header.checksum && endedAt.map { $0 > 1 } ?? true }
}

/// The fields of a session's row that change. They say how far its other rows reach, so that missing rows are noticed.
struct SessionHead: Sendable {
    /// The checksum of the fields that never change. The chain of commits starts with it.
    let checksum: UInt64
    /// The newest revision.
    let revision: Int
    /// The newest revision whose commit was deleted; 0 if none was.
    let compactedThrough: Int
    /// The bytes of the commits; nil if an older release wrote some of them.
    let byteCount: Int?
    /// When the next timer is due; nil if none is set.
    let nextDeadline: Int?
    let lastActiveAt: Int
    /// How often the shares were revoked.
    let shareGeneration: Int
    /// The checksum of the newest commit, or ``checksum`` if there is none; nil in a file of an older version.
    let chain: UInt64?
    /// Whether the checksum of all these fields is right.
    let isIntact: Bool

    /// The columns that statements select, in the order of the arguments of `head_checksum`. The column `seal` is their
    /// checksum.
    static let columns = """
        sessions.checksum, sessions.newest, sessions.chain, sessions.cut, sessions.bytes, sessions.due,
            sessions.last_active, sessions.shares, sessions.seal
        """

    static let columnCount: Int32 = 9

    /// The counterparts of ``columns`` in a file of an older version, computed from the other rows as far as they show
    /// the values.
    static func columns(ofVersion version: Int) -> String {
        switch version {
        case 4...: return columns
        case 3:
            return """
                sessions.checksum, sessions.newest, sessions.chain, sessions.cut, sessions.bytes, sessions.due,
                    sessions.last_active, 0, sessions.seal
                """
        default:
            let cut = version < 2 ? Schema.cutByRows : "sessions.cut"
            return "sessions.checksum, \(Schema.newestByRows), NULL, \(cut), NULL, NULL, sessions.last_active, 0, NULL"
        }
    }

    /// - Parameters:
    ///   - row: the columns ``columns``.
    ///   - first: the index of the first of them.
    init(_ row: borrowing Row, from first: Int32 = 0) {
        checksum = row.checksum(first)
        revision = row.integer(first + 1)
        chain = row.optionalInteger(first + 2).map { UInt64(bitPattern: Int64($0)) }
        compactedThrough = row.integer(first + 3)
        byteCount = row.optionalInteger(first + 4)
        nextDeadline = row.optionalInteger(first + 5)
        lastActiveAt = row.integer(first + 6)
        var computed = Checksum(0)
        for column in first..<(first + 7) { computed.add(row.optionalInteger(column)) }
        shareGeneration = row.integer(first + 7)
        if shareGeneration != 0 { computed.add(shareGeneration) }
        let stored = row.optionalInteger(first + 8).map { UInt64(bitPattern: Int64($0)) }
        // A file of an older version has neither this checksum nor the chain.
        let isRight = stored.map { $0 == computed.value } ?? (chain == nil)
        isIntact = isRight && revision >= compactedThrough && compactedThrough >= 0
    }

    /// Whether the newest commit is this one.
    func ends(with revision: Int, _ checksum: UInt64) -> Bool {
        revision == self.revision && checksum == chain ?? checksum
    }
}
