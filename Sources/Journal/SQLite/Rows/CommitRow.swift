import JSON
import StoreHosting
import Stores

/// A commit as it is stored, whose checksum covers the commit before it.
struct CommitRow: Sendable {
    let revision: Int
    let committedAt: Int
    let type: String
    let payload: [UInt8]
    let origin: String
    let cause: Int?
    let changes: [UInt8]
    let privateState: [UInt8]?
    private(set) var checksum: UInt64 = 0

    /// - Parameter previous: the checksum of the previous commit, or of the session's row for the first one.
    init(_ record: CommitRecord, after previous: UInt64) {
        revision = record.revision
        committedAt = record.committedAt
        type = record.type
        payload = JSONValue.object(record.payload).encoded()
        origin = record.origin.rawValue
        cause = record.cause
        changes = record.changes.encoded()
        privateState = record.privateState
        checksum = checksum(after: previous)
    }

    /// A commit as it was stored.
    init(
        revision: Int, committedAt: Int, type: String, payload: [UInt8], origin: String, cause: Int?, changes: [UInt8],
        privateState: [UInt8]?, checksum: UInt64
    ) {
        self.revision = revision
        self.committedAt = committedAt
        self.type = type
        self.payload = payload
        self.origin = origin
        self.cause = cause
        self.changes = changes
        self.privateState = privateState
        self.checksum = checksum
    }

    /// Whether the commit is intact and follows one with this checksum.
    func follows(_ previous: UInt64) -> Bool { checksum == checksum(after: previous) }

    /// The bytes of its texts, and some for the rest: what it counts against `storage.keepBytes`.
    var byteCount: Int {
        Self.byteCount(type.utf8.count, payload.count, origin.utf8.count, changes.count, privateState?.count)
    }

    /// ``byteCount`` of a commit whose texts have these lengths.
    static func byteCount(_ type: Int, _ payload: Int, _ origin: Int, _ changes: Int, _ privateState: Int?) -> Int {
        64 + type + payload + origin + changes + (privateState ?? 0)
    }

    /// The commit; nil if a field is malformed.
    var record: CommitRecord? {
        guard let origin = Origin(rawValue: origin), let changes = EncodedPatch(json: changes),
            case .object(let payload)? = try? JSONValue(parsing: payload, maximumDepth: JSONValue.maxDepth)
        else { return nil }
        return CommitRecord(
            revision: revision, type: type, payload: payload, origin: origin, cause: cause, committedAt: committedAt,
            changes: changes, privateState: privateState)
    }

    private func checksum(after previous: UInt64) -> UInt64 {
        var checksum = Checksum(previous)
        checksum.add(revision)
        checksum.add(committedAt)
        checksum.add(type)
        checksum.add(payload)
        checksum.add(origin)
        checksum.add(cause)
        checksum.add(changes)
        checksum.add(privateState)
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
    private(set) var checksum: UInt64 = 0

    init(revision: Int, state: [UInt8], privateState: [UInt8]?, chain: UInt64) {
        self.revision = revision
        self.state = state
        self.privateState = privateState
        self.chain = chain
        checksum = computedChecksum
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

    /// The checksum of the commit of a revision, if that commit made the state.
    func checksum(at revision: Int) -> UInt64? { revision == self.revision ? chain : nil }

    /// Whether the checksum is right.
    var isIntact: Bool { checksum == computedChecksum }

    private var computedChecksum: UInt64 {
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
