import StoreHosting
import Stores

/// When a session's state is stored whole: so seldom that snapshots take no more room than the changes between them, and so often
/// that a state is soon rebuilt.
struct SnapshotPolicy: Sendable {
    private static let minDistance = 64
    private static let maxDistance = 512

    /// The newest snapshot: its revision, and its size.
    private var revision = 0
    private var byteCount = 0
    /// What has been changed since, in bytes.
    private var changedBytes = 0
    private let maxDistance: Int

    /// - Parameter keepCommits: how many commits are retained at least. Snapshots must not be further apart, or no commit could
    ///   be deleted.
    init(keepCommits: Int) { maxDistance = min(Self.maxDistance, max(Self.minDistance, keepCommits)) }

    /// The policy of a session that was loaded.
    init(keepCommits: Int, snapshot: SnapshotRow?, _ rows: [CommitRow]) {
        self.init(keepCommits: keepCommits)
        recordSnapshot(at: snapshot?.revision ?? 0, byteCount: snapshot?.state.count ?? 0)
        changedBytes = rows.reduce(0) { $0 + $1.changes.count }
    }

    /// Counts new commits.
    ///
    /// - Returns: whether a snapshot should be taken after the last of them.
    mutating func wantsSnapshot(after commits: [CommitRecord]) -> Bool {
        guard let last = commits.last else { return false }
        for commit in commits { changedBytes += commit.changes.byteCount }
        let distance = last.revision - revision
        return distance >= maxDistance || distance >= Self.minDistance && changedBytes >= byteCount
    }

    mutating func recordSnapshot(at revision: Int, byteCount: Int) {
        (self.revision, self.byteCount, changedBytes) = (revision, byteCount, 0)
    }
}
