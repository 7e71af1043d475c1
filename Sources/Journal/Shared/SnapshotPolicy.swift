package import StoreHosting

/// When a session's state is stored whole: so seldom that snapshots take no more room than the changes between them, and so often
/// that a state is soon rebuilt.
package struct SnapshotPolicy: Sendable {
    private static let minDistance = 64
    private static let maxDistance = 512

    /// The newest snapshot: its revision, and its size.
    private var revision = 0
    private var byteCount = 0
    /// The size of the changes since the newest snapshot, in bytes.
    private var changedBytes = 0
    /// The size of the commits since the newest snapshot, in bytes.
    private var loggedBytes = 0
    private let maxDistance: Int
    private let maxLoggedBytes: Int

    /// Snapshots must not be further apart than `limits` allow the log to be long, or no commit could be deleted.
    ///
    /// - Parameter maxDistance: after how many commits there is a snapshot in any case; nil for the usual number.
    package init(_ limits: RetentionLimits, maxDistance: Int? = nil) {
        self.maxDistance = maxDistance ?? min(Self.maxDistance, max(Self.minDistance, limits.keepCommits))
        maxLoggedBytes = limits.keepBytes / 4
    }

    /// The policy of a session that was loaded.
    package init(_ limits: RetentionLimits, snapshot: SnapshotRow?, _ rows: [CommitRow]) {
        self.init(limits)
        recordSnapshot(at: snapshot?.revision ?? 0, byteCount: snapshot?.state.count ?? 0)
        changedBytes = rows.reduce(0) { $0 + $1.changes.count }
        loggedBytes = rows.reduce(0) { $0 + $1.byteCount }
    }

    /// Counts new commits.
    ///
    /// - Returns: whether a snapshot should be taken after the last of them.
    package mutating func wantsSnapshot(after commits: [CommitRecord]) -> Bool {
        guard let last = commits.last else { return false }
        for commit in commits { count(commit.byteCounts) }
        return wantsSnapshot(at: last.revision)
    }

    package mutating func count(_ bytes: CommitRecord.ByteCounts) {
        changedBytes += bytes.changes
        loggedBytes += bytes.all
    }

    /// Whether a snapshot should be taken at a revision, up to which all commits are counted.
    package func wantsSnapshot(at revision: Int) -> Bool {
        let distance = revision - self.revision
        if distance >= maxDistance { return true }
        if distance >= Self.minDistance, changedBytes >= byteCount { return true }
        return loggedBytes >= max(byteCount, maxLoggedBytes)
    }

    package mutating func recordSnapshot(at revision: Int, byteCount: Int) {
        (self.revision, self.byteCount) = (revision, byteCount)
        (changedBytes, loggedBytes) = (0, 0)
    }
}
