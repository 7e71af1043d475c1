import StoreHosting

/// A snapshot as it is stored: a state that does not need the commits before it.
package struct SnapshotRow: Sendable {
    package let revision: Int
    package let state: [UInt8]
    /// The private part of the state; nil if it is the one at revision 0.
    package let privateState: [UInt8]?
    /// The checksum of the commit that made the state.
    package let chain: UInt64
    package private(set) var checksum: UInt64 = 0

    package init(revision: Int, state: [UInt8], privateState: [UInt8]?, chain: UInt64) {
        self.revision = revision
        self.state = state
        self.privateState = privateState
        self.chain = chain
        checksum = computedChecksum
    }

    /// A snapshot as it was stored, with a checksum that may be wrong.
    package init(revision: Int, state: [UInt8], privateState: [UInt8]?, chain: UInt64, checksum: UInt64) {
        self.revision = revision
        self.state = state
        self.privateState = privateState
        self.chain = chain
        self.checksum = checksum
    }

    /// The checksum of the commit of a revision, if that commit made the state.
    package func checksum(at revision: Int) -> UInt64? { revision == self.revision ? chain : nil }

    /// Whether the checksum is right.
    package var isIntact: Bool { checksum == computedChecksum }

    private var computedChecksum: UInt64 {
        var checksum = Checksum(chain)
        checksum.add(revision)
        checksum.add(state)
        checksum.add(privateState)
        return checksum.value
    }
}
