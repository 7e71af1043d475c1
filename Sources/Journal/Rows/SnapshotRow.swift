/// A state as it stands in the database: what needs nothing of the commits before it.
struct SnapshotRow: Sendable {
    let revision: Int
    let state: [UInt8]
    /// What only the store knows of the state; nil where that is as at revision 0.
    let hidden: [UInt8]?
    /// The checksum of the commit that made the state.
    let chain: UInt64
    let checksum: UInt64

    init(revision: Int, state: [UInt8], hidden: [UInt8]?, chain: UInt64) {
        self.revision = revision
        self.state = state
        self.hidden = hidden
        self.chain = chain
        checksum = Self.checksum(revision, state, hidden, chain)
    }

    /// Its columns, as far as a statement selects them.
    static let columns = "revision, state, hidden, chain, checksum"

    /// Reads a row of ``columns``.
    init(_ row: borrowing Row) {
        revision = row.integer(0)
        state = row.bytes(1)
        hidden = row.optionalBytes(2)
        chain = row.checksum(3)
        checksum = row.checksum(4)
    }

    /// Whether it is as it was written.
    var isIntact: Bool { checksum == Self.checksum(revision, state, hidden, chain) }

    private static func checksum(_ revision: Int, _ state: [UInt8], _ hidden: [UInt8]?, _ chain: UInt64) -> UInt64 {
        var checksum = Checksum(chain)
        checksum.add(revision)
        checksum.add(state)
        checksum.add(hidden)
        return checksum.value
    }
}
