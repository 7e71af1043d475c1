import Locks
public import Stores
import Synchronization

/// Keeps commits as long as the process lives, the newest of each session.
public struct MemoryJournal: Journal {
    private let keepCommits: Int

    /// - Parameter keepCommits: how many commits of a session are kept at least; up to twice as many are.
    public init(keepCommits: Int) { self.keepCommits = keepCommits }

    public func open(_ session: String) -> any SessionJournal { MemorySessionJournal(keepCommits) }
}

/// One session's newest commits.
final class MemorySessionJournal: SessionJournal {
    private let keepCommits: Int
    /// Made at the first commit: a session without any is small.
    private let commits = AtomicLazyReference<Commits>()

    init(_ keepCommits: Int) { self.keepCommits = keepCommits }

    func append(_ record: ActionRecord) {
        (commits.load() ?? commits.storeIfNil(Commits())).append(record, keeping: keepCommits)
    }

    func entries(after revision: Int, limit: Int) -> [ActionRecord]? {
        guard let commits = commits.load() else { return [] }
        return commits.entries(after: revision, limit: limit)
    }
}

/// The commits that are kept of a session that has some.
private final class Commits: Sendable {
    // Guards the records, whose revisions follow one another. Taken inside the store's lock; nothing is locked in it.
    private let records = Locked<[ActionRecord]>([])

    func append(_ record: ActionRecord, keeping count: Int) {
        records.withLock { records in
            records.append(record)
            // Half of them go at a time, so that a commit costs the same however many are kept.
            if records.count > 2 * count { records.removeFirst(records.count - count) }
        }
    }

    func entries(after revision: Int, limit: Int) -> [ActionRecord]? {
        records.withLock { records in
            guard let oldest = records.first?.revision, revision < Int.max else { return [] }
            guard revision + 1 >= oldest else { return nil }
            return Array(records.dropFirst(revision + 1 - oldest).prefix(limit))
        }
    }
}
