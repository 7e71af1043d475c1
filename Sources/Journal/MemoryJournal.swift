import Locks
public import Stores

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
    // Guards the commits, whose revisions follow one another. Taken inside the store's lock; nothing is locked in it.
    private let entries = Locked<[JournalEntry]>([])

    init(_ keepCommits: Int) { self.keepCommits = keepCommits }

    func append(_ entry: JournalEntry) {
        entries.withLock { entries in
            entries.append(entry)
            // Half of them go at a time, so that a commit costs the same however many are kept.
            if entries.count > 2 * keepCommits { entries.removeFirst(entries.count - keepCommits) }
        }
    }

    func entries(after revision: Int, limit: Int) -> [JournalEntry]? {
        entries.withLock { entries in
            guard let oldest = entries.first?.record.revision, revision < Int.max else { return [] }
            guard revision + 1 >= oldest else { return nil }
            return Array(entries.dropFirst(revision + 1 - oldest).prefix(limit))
        }
    }
}
