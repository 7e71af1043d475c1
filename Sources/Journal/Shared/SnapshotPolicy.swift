import StoreHosting
import Stores

/// When a session's state is worth keeping: so seldom that snapshots take no more room than the changes between them, and so
/// often that a state is soon made again.
struct SnapshotPolicy: Sendable {
    private static let least = 64
    private static let most = 512

    /// The newest: its revision, and how large it is.
    private var revision = 0
    private var extent = 0
    /// What has been changed since, in bytes.
    private var changed = 0
    private let most: Int

    /// - Parameter keepCommits: how many commits are kept at least; with fewer snapshots than that, none of them could go.
    init(keepCommits: Int) { most = min(Self.most, max(Self.least, keepCommits)) }

    /// The rule for a session that was found.
    init(keepCommits: Int, snapshot: SnapshotRow?, _ records: [CommitRecord]) {
        self.init(keepCommits: keepCommits)
        take(snapshot?.state.count ?? 0, at: snapshot?.revision ?? 0)
        changed = records.reduce(0) { $0 + $1.changes.extent }
    }

    mutating func wantsSnapshot(after record: CommitRecord) -> Bool {
        changed += record.changes.extent
        let distance = record.revision - revision
        return distance >= most || distance >= Self.least && changed >= extent
    }

    /// A snapshot was taken.
    mutating func take(_ extent: Int, at revision: Int) {
        (self.revision, self.extent, changed) = (revision, extent, 0)
    }
}
