import Stores

/// What is kept of a session in one piece: commits, the snapshots that were taken at them, the answer to what brought them.
struct Unit: Sendable {
    /// A state that was encoded as its commit was made.
    struct Snapshot: Sendable {
        let revision: Int
        let state: [UInt8]
        /// What only the store knew of it; nil where that was as at revision 0.
        let hidden: [UInt8]?
    }

    var records: [ActionRecord] = []
    var snapshots: [Snapshot] = []
    var answer: KeptAnswer?

    var isEmpty: Bool { records.isEmpty && answer == nil }

    /// About how many bytes it takes.
    var extent: Int {
        var extent = (answer?.answer.count ?? 0) + 64
        for record in records { extent += record.extent }
        for snapshot in snapshots { extent += snapshot.state.count }
        return extent
    }
}

extension ActionRecord {
    /// About how many bytes it takes.
    var extent: Int { 192 + changes.extent + (hidden?.count ?? 0) }
}

extension StatePatch {
    /// About how many bytes it takes.
    var extent: Int { operations.reduce(0) { $0 + $1.path.utf8.count + $1.value.count + 32 } }
}
