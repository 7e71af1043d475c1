import StoreHosting
import Stores

/// A row of the table `sessions`, joined with its initial state.
struct SessionRow: Sendable {
    let number: Int
    let header: SessionHeader
    let lastActiveAt: Int
    let endedAt: Int?
    /// The checksum of the fields that never change. The chain of commits starts with it.
    let checksum: UInt64

    /// The columns that statements select.
    static let columns = """
        sessions.number, id, kind, schema, created, last_active, ended, forked_from, history, sessions.checksum, json, hidden
        """

    /// - Parameter row: the columns ``columns``.
    init(_ row: borrowing Row) {
        number = row.integer(0)
        header = SessionHeader(
            id: row.text(1), kind: row.text(2), schema: row.integer(3), createdAt: row.integer(4),
            forkedFrom: row.optionalInteger(7), historyID: row.text(8),
            initial: StateSnapshot(json: row.bytes(10), privateState: row.optionalBytes(11)))
        lastActiveAt = row.integer(5)
        endedAt = row.optionalInteger(6)
        checksum = row.checksum(9)
    }

    /// Whether the checksum is right.
    var isIntact: Bool { checksum == Self.checksum(header) }

    static func checksum(_ header: SessionHeader) -> UInt64 {
        var checksum = Checksum(Self.checksum(header.initial))
        checksum.add(header.id)
        checksum.add(header.kind)
        checksum.add(header.schema)
        checksum.add(header.createdAt)
        checksum.add(header.forkedFrom)
        checksum.add(header.historyID)
        return checksum.value
    }

    static func checksum(_ state: StateSnapshot) -> UInt64 {
        var checksum = Checksum(0)
        checksum.add(state.json)
        checksum.add(state.privateState)
        return checksum.value
    }
}

/// A row of the table `snapshots`: a state that does not need the commits before it.
struct SnapshotRow: Sendable {
    let revision: Int
    let state: [UInt8]
    /// The private part of the state; nil if it is the one at revision 0.
    let privateState: [UInt8]?
    /// The checksum of the commit that made the state.
    let chain: UInt64
    let checksum: UInt64

    init(revision: Int, state: [UInt8], privateState: [UInt8]?, chain: UInt64) {
        self.revision = revision
        self.state = state
        self.privateState = privateState
        self.chain = chain
        checksum = Self.checksum(revision, state, privateState, chain)
    }

    /// The columns that statements select.
    static let columns = "revision, state, hidden, chain, checksum"

    /// - Parameter row: the columns ``columns``.
    init(_ row: borrowing Row) {
        revision = row.integer(0)
        state = row.bytes(1)
        privateState = row.optionalBytes(2)
        chain = row.checksum(3)
        checksum = row.checksum(4)
    }

    /// Whether the checksum is right.
    var isIntact: Bool { checksum == Self.checksum(revision, state, privateState, chain) }

    private static func checksum(_ revision: Int, _ state: [UInt8], _ privateState: [UInt8]?, _ chain: UInt64) -> UInt64
    {
        var checksum = Checksum(chain)
        checksum.add(revision)
        checksum.add(state)
        checksum.add(privateState)
        return checksum.value
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

    var checksum: UInt64 {
        var checksum = Checksum(0)
        checksum.add(key)
        checksum.add(fingerprint)
        checksum.add(response)
        checksum.add(at)
        // Rows of older files have no revision, and a checksum without it.
        if let revision { checksum.add(revision) }
        return checksum.value
    }
}
