import Stores

/// A session as it stands in the database, with the state that it began with.
struct SessionRow: Sendable {
    let number: Int
    let record: SessionRecord
    let lastActiveAt: Int
    let endedAt: Int?
    /// Of all that never changes; the chain of the commits begins with it.
    let checksum: UInt64

    /// The columns of sessions and of their states, as far as a statement selects them.
    static let columns = """
        sessions.number, id, kind, schema, created, last_active, ended, forked_from, history, sessions.checksum, json, hidden
        """
    /// Where ``columns`` come from.
    static let tables = "sessions JOIN states ON states.number = initial"

    /// Reads a row of ``columns``.
    init(_ row: borrowing Row) {
        number = row.integer(0)
        record = SessionRecord(
            id: row.text(1), kind: row.text(2), schema: row.integer(3), createdAt: row.integer(4),
            forkedFrom: row.optionalInteger(7), history: row.text(8),
            initial: KeptState(json: row.bytes(10), hidden: row.optionalBytes(11)))
        lastActiveAt = row.integer(5)
        endedAt = row.optionalInteger(6)
        checksum = row.checksum(9)
    }

    /// Whether it is as it was written.
    var isIntact: Bool { checksum == Self.checksum(record) }

    static func checksum(_ record: SessionRecord) -> UInt64 {
        var checksum = Checksum(Self.checksum(record.initial))
        checksum.add(record.id)
        checksum.add(record.kind)
        checksum.add(record.schema)
        checksum.add(record.createdAt)
        checksum.add(record.forkedFrom)
        checksum.add(record.history)
        return checksum.value
    }

    static func checksum(_ state: KeptState) -> UInt64 {
        var checksum = Checksum(0)
        checksum.add(state.json)
        checksum.add(state.hidden)
        return checksum.value
    }
}
