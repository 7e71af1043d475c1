import JSON
package import StoreHosting
import Stores
import Synchronization

/// Commits of one session whose revisions follow one another, of which the oldest are dropped.
package struct CommitSequence: Sendable {
    package private(set) var commits: [CommitRecord] = []
    /// The revision of the newest commit, whether it is in memory or not.
    package private(set) var lastRevision: Int

    package init(after revision: Int) { lastRevision = revision }

    /// The revision of the oldest commit in memory.
    package var firstRevision: Int? { commits.first?.revision }

    package mutating func append(_ commit: CommitRecord) {
        commits.append(commit)
        lastRevision = commit.revision
    }

    package mutating func removeFirst(_ count: Int) { commits.removeFirst(count) }

    /// Removes the commits after `revision`, which becomes the newest.
    package mutating func removeAll(after revision: Int) {
        while let last = commits.last, last.revision > revision { commits.removeLast() }
        lastRevision = revision
    }

    /// The commits after `revision`, oldest first; nil if the first of them is not in memory.
    package func commits(after revision: Int, limit: Int) -> [CommitRecord]? {
        guard revision < lastRevision else { return [] }
        guard let first = firstRevision, revision + 1 >= first else { return nil }
        return Array(commits.dropFirst(revision + 1 - first).prefix(max(0, limit)))
    }

    /// The newest private state among the commits up to `revision`; nil if none of them has changed it.
    package func privateState(through revision: Int) -> [UInt8]? {
        commits.last { $0.revision <= revision && $0.privateState != nil }?.privateState
    }
}

extension CommitRecord {
    /// About how many bytes it takes in memory.
    package var byteCount: Int { byteCounts.all }

    /// About how many bytes the changes and the whole record take in memory.
    package typealias ByteCounts = (changes: Int, all: Int)

    package var byteCounts: ByteCounts {
        let changes = changes.byteCount
        return (changes, 192 + payload.byteCount + changes + (privateState?.count ?? 0))
    }
}

extension EncodedPatch {
    /// About how many bytes it takes in memory.
    package var byteCount: Int {
        operations.reduce(0) { $0 + $1.path.utf8.count + $1.value.count + ($1.from?.utf8.count ?? 0) + 48 }
    }
}

/// A session's newest commits: those that are not durable yet, and some more for subscribers that resume.
package struct RecentCommits: Sendable {
    private static let retainedCount = 64

    private var sequence: CommitSequence
    /// The newest revision that is durable.
    package private(set) var durableRevision: Int
    /// About how many bytes the commits take.
    package private(set) var byteCount = 0

    /// - Parameter revision: the newest that is durable.
    package init(revision: Int) {
        sequence = CommitSequence(after: revision)
        durableRevision = revision
    }

    /// The revision of the newest commit, whether it is in memory or not.
    package var lastRevision: Int { sequence.lastRevision }

    /// - Returns: by how many bytes ``byteCount`` has grown.
    package mutating func append(_ commits: [CommitRecord], within limit: Int) -> Int {
        let before = byteCount
        for commit in commits {
            sequence.append(commit)
            byteCount += commit.byteCount
        }
        trim(limit)
        return byteCount - before
    }

    /// The commits up to `revision` are durable, so they may be dropped.
    ///
    /// - Returns: by how many bytes ``byteCount`` has grown: none or less.
    package mutating func markDurable(through revision: Int, within limit: Int) -> Int {
        let before = byteCount
        durableRevision = max(durableRevision, revision)
        trim(limit)
        return byteCount - before
    }

    /// Removes the commits that are not durable and never will be.
    ///
    /// - Returns: by how many bytes ``byteCount`` has grown: none or less.
    package mutating func dropUndurable() -> Int {
        let before = byteCount
        sequence.removeAll(after: durableRevision)
        byteCount = sequence.commits.reduce(0) { $0 + $1.byteCount }
        return byteCount - before
    }

    /// The commits after `revision`, oldest first; nil if the first of them is not in memory.
    package func commits(after revision: Int, limit: Int) -> [CommitRecord]? {
        sequence.commits(after: revision, limit: limit)
    }

    /// The data from which the state at `revision` is replayed: rows of the database, and the commits in memory after
    /// them.
    ///
    /// - Parameters:
    ///   - snapshot: the newest up to there; nil for the state at revision 0.
    ///   - rows: the stored commits after the snapshot, up to `revision`.
    /// - Returns: nil if commits are missing in between.
    package func replayBase(for revision: Int, _ snapshot: SnapshotRow?, _ rows: [CommitRow]) -> ReplayableState? {
        let stored = rows.last?.revision ?? snapshot?.revision ?? 0
        // If the rows are enough, it does not matter which commits are in memory.
        let rest = stored < revision ? commits(after: stored, limit: revision - stored) : []
        guard let rest, stored + rest.count >= revision else { return nil }
        let privateState =
            rest.last { $0.privateState != nil }?.privateState ?? rows.last { $0.privateState != nil }?.privateState
        return ReplayableState(
            snapshot: snapshot?.state, patches: rows.map(\.changes) + rest.map { $0.changes.encoded() },
            privateState: privateState ?? snapshot?.privateState)
    }

    /// Drops the oldest durable commits. Some go at a time, so that a commit costs the same however many are in memory.
    private mutating func trim(_ limit: Int) {
        let total = sequence.commits.count
        guard total > 2 * Self.retainedCount || byteCount > 2 * limit else { return }
        var count = 0
        while count < total, sequence.commits[count].revision <= durableRevision,
            total - count > Self.retainedCount || byteCount > limit
        {
            byteCount -= sequence.commits[count].byteCount
            count += 1
        }
        sequence.removeFirst(count)
    }
}

/// The limit of the memory for the recent commits of all sessions.
package final class RecentCommitsBudget: Sendable {
    private static let maxBytes = 64 << 20

    private let total = Atomic<Int>(0)

    package init() {}

    /// How many bytes one session should be content with.
    package var perSessionLimit: Int { total.load(ordering: .relaxed) < Self.maxBytes ? 65_536 : 2048 }

    package func add(_ bytes: Int) {
        if bytes != 0 { total.add(bytes, ordering: .relaxed) }
    }

    package func remove(_ bytes: Int) { add(-bytes) }
}
