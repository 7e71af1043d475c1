import Locks
public import StoreHosting
import Stores
import Synchronization

/// Keeps commits as long as the process lives, the newest of each session.
public struct MemoryJournal: Journal {
    private let keepCommits: Int

    /// - Parameter keepCommits: how many commits of a session are kept at least; up to twice as many are, and some more
    ///   where the session's state is large.
    public init(keepCommits: Int) { self.keepCommits = keepCommits }

    public var outlivesProcess: Bool { false }

    public var isShared: Bool { false }

    public var mayLoseCommits: Bool { false }

    public var isAvailable: Bool { true }

    /// The server itself holds the sessions that are in memory.
    public var sessionCount: Int { 0 }

    public var transactionCount: Int { 0 }

    public func begin(_ session: SessionHeader) -> any SessionJournal { MemorySessionJournal(keepCommits) }

    public func find(_ id: String, done: @escaping @Sendable (Result<SessionLookup, JournalError>) -> Void) {
        done(.success(.unknown))
    }

    public func list(
        after id: String?, limit: Int, done: @escaping @Sendable (Result<[SessionSummary], JournalError>) -> Void
    ) {
        done(.success([]))
    }

    public func idle(
        since moment: Int, limit: Int, done: @escaping @Sendable (Result<[String], JournalError>) -> Void
    ) {
        done(.success([]))
    }

    public func end(_ id: String, at moment: Int) {}

    public func close(done: @escaping @Sendable () -> Void) { done() }
}

/// One session's newest commits.
final class MemorySessionJournal: SessionJournal {
    private let keepCommits: Int
    /// Made at the first commit: a session without any is small.
    private let commits = AtomicLazyReference<Commits>()

    init(_ keepCommits: Int) { self.keepCommits = keepCommits }

    func append(_ record: CommitRecord, _ state: borrowing StateView) {
        (commits.load() ?? commits.storeIfNil(Commits())).append(record, state, keeping: keepCommits)
    }

    func keep(_ answer: IdempotencyRecord) {}

    func whenDurable(_ done: @escaping @Sendable (JournalError?) -> Void) { done(nil) }

    var isDurable: Bool { true }

    var hasFailed: Bool { false }

    func recent(after revision: Int, limit: Int) -> [CommitRecord]? {
        guard let commits = commits.load() else { return [] }
        return commits.entries(after: revision, limit: limit)
    }

    func entries(
        after revision: Int, limit: Int, done: @escaping @Sendable (Result<[CommitRecord]?, JournalError>) -> Void
    ) {
        done(.success(recent(after: revision, limit: limit)))
    }

    func past(_ revision: Int, done: @escaping @Sendable (Result<ReplayableState?, JournalError>) -> Void) {
        guard let commits = commits.load() else {
            return done(.success(ReplayableState(snapshot: nil, changes: [], hidden: nil)))
        }
        done(.success(commits.past(revision)))
    }

    func touch(_ moment: Int) {}

    func end(at moment: Int) {}
}

/// The commits that are kept of a session that has some.
private final class Commits: Sendable {
    fileprivate struct Snapshot {
        let revision: Int
        let json: [UInt8]
    }

    fileprivate struct Contents {
        /// Their revisions follow one another.
        var records: [CommitRecord] = []
        /// The oldest stands before the oldest record, or there is none there and the records begin with revision 1.
        var snapshots: [Snapshot] = []
        /// What only the store knew after the commits that are not kept any more.
        var hidden: [UInt8]?
        /// What has been changed since the newest snapshot, in bytes.
        var changedBytes = 0
    }

    // Guards the records and snapshots. Taken inside the store's lock; nothing is locked in it.
    private let contents = Locked(Contents())

    func append(_ record: CommitRecord, _ state: borrowing StateView, keeping count: Int) {
        contents.withLock { contents in
            contents.records.append(record)
            contents.changedBytes += record.changes.extent
            if contents.wantsSnapshot(count) { contents.take(state.encoded(.whole), at: record.revision) }
            // Half of them go at a time, so that a commit costs the same however many are kept.
            if contents.records.count > 2 * count { contents.forget(contents.records.count - count) }
        }
    }

    func entries(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { contents in
            guard let oldest = contents.records.first?.revision, revision < Int.max else { return [] }
            guard revision + 1 >= oldest else { return nil }
            return Array(contents.records.dropFirst(revision + 1 - oldest).prefix(limit))
        }
    }

    func past(_ revision: Int) -> ReplayableState? {
        contents.withLock { contents in
            guard let oldest = contents.records.first?.revision, revision + 1 >= oldest else { return nil }
            let snapshot = contents.snapshots.last { $0.revision <= revision }
            let base = snapshot?.revision ?? 0
            let later = contents.records.dropFirst(base + 1 - oldest).prefix(revision - base)
            let known = contents.records.prefix(revision + 1 - oldest).last { $0.hidden != nil }
            return ReplayableState(
                snapshot: snapshot?.json, changes: later.map(\.changes), hidden: known?.hidden ?? contents.hidden)
        }
    }
}

extension Commits.Contents {
    /// Snapshots are so far from each other that they take no more memory than the changes between them, and so near that
    /// an earlier state is soon made.
    fileprivate func wantsSnapshot(_ count: Int) -> Bool {
        let newest = snapshots.last
        let distance = (records.last?.revision ?? 0) - (newest?.revision ?? 0)
        // Without one among those that are kept, none could be dropped.
        if distance >= max(1, count) { return true }
        return distance >= 64 && changedBytes >= (newest?.json.count ?? 0)
    }

    fileprivate mutating func take(_ json: [UInt8], at revision: Int) {
        snapshots.append(.init(revision: revision, json: json))
        changedBytes = 0
    }

    /// Drops the oldest `count` records, or as many fewer as it takes to have a snapshot before the rest.
    fileprivate mutating func forget(_ count: Int) {
        guard let oldest = records.first?.revision,
            let place = snapshots.lastIndex(where: { $0.revision < oldest + count })
        else { return }
        let gone = snapshots[place].revision + 1 - oldest
        hidden = records.prefix(gone).last { $0.hidden != nil }?.hidden ?? hidden
        records.removeFirst(gone)
        snapshots.removeFirst(place)
    }
}
