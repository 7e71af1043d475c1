import StoreHosting
import Stores
import Synchronization

/// A session's newest commits: those that are not kept yet, and some more for who asks what is new.
struct RecentCommits: Sendable {
    private static let usualCount = 64

    /// Their revisions follow one another.
    private var records: [CommitRecord] = []
    /// The newest, whether it is at hand or not.
    private(set) var revision: Int
    /// The newest that is kept.
    private var kept: Int
    /// About how many bytes they take.
    private(set) var extent = 0

    /// - Parameter revision: the newest that is kept.
    init(revision: Int) {
        self.revision = revision
        kept = revision
    }

    /// - Returns: by how many bytes more it takes.
    mutating func append(_ record: CommitRecord, within share: Int) -> Int {
        let before = extent
        records.append(record)
        revision = record.revision
        extent += record.extent
        trim(share)
        return extent - before
    }

    /// Up to `revision` they are kept, and can go.
    ///
    /// - Returns: by how many bytes more it takes: none or less.
    mutating func keep(upTo revision: Int, within share: Int) -> Int {
        let before = extent
        kept = max(kept, revision)
        trim(share)
        return extent - before
    }

    /// Forgets those that are not kept, and will not be.
    ///
    /// - Returns: by how many bytes more it takes: none or less.
    mutating func dropUnkept() -> Int {
        let before = extent
        while let last = records.last, last.revision > kept {
            extent -= last.extent
            records.removeLast()
        }
        revision = kept
        return extent - before
    }

    /// Those behind a revision; nil where the first is not at hand.
    func records(after revision: Int, limit: Int) -> [CommitRecord]? {
        guard revision < self.revision else { return [] }
        guard let first = records.first?.revision, revision + 1 >= first else { return nil }
        return Array(records.dropFirst(revision + 1 - first).prefix(max(0, limit)))
    }

    /// From where the state at `revision` can be made again, out of what was read of the database and these.
    ///
    /// - Parameters:
    ///   - snapshot: the newest up to there; nil for the state at revision 0.
    ///   - rows: the commits behind it that are kept, up to `revision`.
    func past(_ revision: Int, of snapshot: SnapshotRow?, _ rows: [CommitRecord]) -> ReplayableState? {
        let newest = rows.last?.revision ?? snapshot?.revision ?? 0
        // Where the rows are enough, it does not matter what is at hand.
        let rest = newest < revision ? records(after: newest, limit: revision - newest) : []
        guard let rest, newest + rest.count >= revision else { return nil }
        let all = rows + rest
        return ReplayableState(
            snapshot: snapshot?.state, changes: all.map(\.changes),
            hidden: all.last { $0.hidden != nil }?.hidden ?? snapshot?.hidden)
    }

    /// Drops the oldest of those that are kept. Some go at a time, so that a commit costs the same whatever stands here.
    private mutating func trim(_ share: Int) {
        guard records.count > 2 * Self.usualCount || extent > 2 * share else { return }
        var count = 0
        while count < records.count, records[count].revision <= kept,
            records.count - count > Self.usualCount || extent > share
        {
            extent -= records[count].extent
            count += 1
        }
        records.removeFirst(count)
    }
}

/// What the tails of all sessions may take together.
final class RecentCommitsBudget: Sendable {
    private static let most = 64 << 20

    private let total = Atomic<Int>(0)

    /// How many bytes one session should be content with.
    var share: Int { total.load(ordering: .relaxed) < Self.most ? 65_536 : 2048 }

    func add(_ bytes: Int) {
        if bytes != 0 { total.add(bytes, ordering: .relaxed) }
    }

    func remove(_ bytes: Int) { add(-bytes) }
}
