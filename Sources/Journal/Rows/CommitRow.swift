import JSON
import Stores

/// A commit as it stands in the database.
struct CommitRow: Sendable {
    let revision: Int
    let at: Int
    let type: String
    let payload: [UInt8]
    let origin: String
    let cause: Int?
    let changes: [UInt8]
    let hidden: [UInt8]?
    let checksum: UInt64

    /// The row of a record.
    ///
    /// - Parameter chain: the checksum of the row before, or of the session's where there is none.
    init(_ record: ActionRecord, after chain: UInt64) {
        revision = record.revision
        at = record.at
        type = record.type
        payload = JSONValue.object(record.payload).encoded()
        origin = record.origin.rawValue
        cause = record.cause
        changes = record.changes.encoded()
        hidden = record.hidden
        checksum = Self.checksum(
            chain, revision: revision, at: at, type: type, payload: payload, origin: origin, cause: cause,
            changes: changes, hidden: hidden)
    }

    /// Its columns, as far as a statement selects them.
    static let columns = "revision, at, type, payload, origin, cause, changes, hidden, checksum"

    /// Reads a row of ``columns``.
    init(_ row: borrowing Row) {
        revision = row.integer(0)
        at = row.integer(1)
        type = row.text(2)
        payload = row.bytes(3)
        origin = row.text(4)
        cause = row.optionalInteger(5)
        changes = row.bytes(6)
        hidden = row.optionalBytes(7)
        checksum = row.checksum(8)
    }

    /// Whether it is what was written behind a row with that checksum.
    func follows(_ chain: UInt64) -> Bool {
        checksum
            == Self.checksum(
                chain, revision: revision, at: at, type: type, payload: payload, origin: origin, cause: cause,
                changes: changes, hidden: hidden)
    }

    /// The record; nil where the fields are none of a record's.
    var record: ActionRecord? {
        guard let origin = Origin(rawValue: origin), let changes = StatePatch(json: changes),
            case .object(let payload)? = try? JSONValue(parsing: payload, maximumDepth: JSONValue.deepestNesting)
        else { return nil }
        return ActionRecord(
            revision: revision, type: type, payload: payload, origin: origin, cause: cause, at: at, changes: changes,
            hidden: hidden)
    }

    private static func checksum(
        _ chain: UInt64, revision: Int, at: Int, type: String, payload: [UInt8], origin: String, cause: Int?,
        changes: [UInt8], hidden: [UInt8]?
    ) -> UInt64 {
        var checksum = Checksum(chain)
        checksum.add(revision)
        checksum.add(at)
        checksum.add(type)
        checksum.add(payload)
        checksum.add(origin)
        checksum.add(cause)
        checksum.add(changes)
        checksum.add(hidden)
        return checksum.value
    }
}
