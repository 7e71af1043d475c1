import Locks
public import StoreHosting
import Stores
import Synchronization

/// A journal that lives as long as the process and retains the newest commits of each session.
///
/// Everything is durable at once, as far as that goes: it waits for nothing.
public struct MemoryJournal: Journal {
    private let keepCommits: Int

    /// - Parameter keepCommits: how many commits of a session are retained at least. Up to twice as many are, and some
    ///   more if the session's state is large.
    public init(keepCommits: Int) { self.keepCommits = keepCommits }

    public var outlivesProcess: Bool { false }

    public var isShared: Bool { false }

    public var mayLoseCommits: Bool { false }

    public var isAvailable: Bool { true }

    /// 0: the server itself has the sessions.
    public var sessionCount: Int { 0 }

    public var transactionCount: Int { 0 }

    public func create(_ session: SessionHeader) -> any SessionJournal {
        MemorySessionJournal(keepCommits, initial: session.initial.json)
    }

    public func load(_ id: String, done: @escaping @Sendable (Result<SessionLookup, JournalError>) -> Void) {
        done(.success(.unknown))
    }

    public func list(
        after id: String?, limit: Int, done: @escaping @Sendable (Result<[SessionSummary], JournalError>) -> Void
    ) {
        done(.success([]))
    }

    public func idleSessions(
        before moment: Int, limit: Int, done: @escaping @Sendable (Result<[String], JournalError>) -> Void
    ) {
        done(.success([]))
    }

    public func end(_ id: String, at moment: Int) {}

    public func close(done: @escaping @Sendable () -> Void) { done() }
}

/// One session's newest commits.
final class MemorySessionJournal: SessionJournal {
    private let keepCommits: Int
    /// The state at revision 0 as JSON, which all sessions of a kind share.
    private let initial: [UInt8]
    /// Made at the first commit: a session without any is small.
    private let history = AtomicLazyReference<History>()

    init(_ keepCommits: Int, initial: [UInt8]) {
        self.keepCommits = keepCommits
        self.initial = initial
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        guard !transaction.commits.isEmpty || transaction.idempotencyRecord != nil else { return }
        let history = history.load() ?? history.storeIfNil(History())
        history.append(transaction, state, retaining: keepCommits, initial)
    }

    func isDurable(through revision: Int) -> Bool { true }

    func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) { done(nil) }

    var hasFailed: Bool { false }

    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]? {
        guard let history = history.load() else { return [] }
        return history.commits(after: revision, limit: limit)
    }

    func commits(
        after revision: Int, limit: Int, done: @escaping @Sendable (Result<[CommitRecord]?, JournalError>) -> Void
    ) {
        done(.success(bufferedCommits(after: revision, limit: limit)))
    }

    func replayBase(for revision: Int, done: @escaping @Sendable (Result<ReplayableState?, JournalError>) -> Void) {
        guard let history = history.load() else {
            return done(.success(ReplayableState(snapshot: nil, patches: [], privateState: nil)))
        }
        done(.success(history.replayBase(for: revision)))
    }

    func recordUse(at moment: Int) {}

    func end(at moment: Int) {}
}

/// The retained commits of a session that has some.
private final class History: Sendable {
    fileprivate struct Snapshot {
        let revision: Int
        let json: [UInt8]
    }

    fileprivate struct Contents {
        var sequence = CommitSequence(after: 0)
        /// The first one is older than the oldest commit, or the commits begin with revision 1.
        var snapshots: [Snapshot] = []
        /// The private state after the commits that were dropped.
        var privateState: [UInt8]?
        /// What has been changed since the newest snapshot, in bytes.
        var changedBytes = 0
        /// The revisions that idempotency records show.
        var pinned = PinnedRevisions()
        /// The revision at which to try again to drop commits that were pinned.
        var nextDrop = 0
        fileprivate static let retryDistance = 64
    }

    // Guards the commits and snapshots. Taken inside the store's lock; no other lock is taken while it is held.
    private let contents = Locked(Contents())

    func append(
        _ transaction: CommitTransaction, _ state: borrowing StateView, retaining count: Int, _ initial: [UInt8]
    ) {
        contents.withLock { contents in
            if let record = transaction.idempotencyRecord { contents.pinned.add(record) }
            guard let last = transaction.commits.last else { return }
            for commit in transaction.commits {
                contents.sequence.append(commit)
                contents.changedBytes += commit.changes.byteCount
            }
            if contents.wantsSnapshot(count) {
                contents.snapshots.append(Snapshot(revision: state.revision, json: state.encoded(.root)))
                contents.changedBytes = 0
            }
            // Half of them go at a time, so that a commit costs the same however many are retained.
            let total = contents.sequence.commits.count
            if total > 2 * count, state.revision >= contents.nextDrop {
                contents.drop(total - count, now: last.committedAt, initial)
            }
        }
    }

    func commits(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { $0.sequence.commits(after: revision, limit: limit) }
    }

    func replayBase(for revision: Int) -> ReplayableState? {
        contents.withLock { $0.replayBase(for: revision) }
    }
}

extension History.Contents {
    /// Snapshots are so far from each other that they take no more memory than the changes between them, and so near
    /// that an earlier state is soon rebuilt.
    fileprivate func wantsSnapshot(_ count: Int) -> Bool {
        let newest = snapshots.last
        let distance = sequence.lastRevision - (newest?.revision ?? 0)
        // Without a snapshot among the retained commits, none of them could be dropped.
        if distance >= max(1, count) { return true }
        return distance >= 64 && changedBytes >= (newest?.json.count ?? 0)
    }

    fileprivate func replayBase(for revision: Int) -> ReplayableState? {
        let snapshot = snapshots.last { $0.revision <= revision }
        let base = snapshot?.revision ?? 0
        guard let oldest = sequence.firstRevision, revision + 1 >= oldest,
            let commits = sequence.commits(after: base, limit: revision - base)
        else { return nil }
        return ReplayableState(
            snapshot: snapshot?.json, patches: commits.map { $0.changes.encoded() },
            privateState: sequence.privateState(through: revision) ?? privateState)
    }

    /// Drops the oldest `count` commits, or as many fewer as it takes to have a snapshot before the rest and before the
    /// oldest pinned revision.
    fileprivate mutating func drop(_ count: Int, now: Int, _ initial: [UInt8]) {
        guard let oldest = sequence.firstRevision else { return }
        let unpinned = pinned.oldest(now: now).map { $0 - oldest + 1 } ?? count
        let isPinned = unpinned < count
        let count = min(count, unpinned)
        nextDrop = isPinned ? sequence.lastRevision + Self.retryDistance : 0
        guard count > 0,
            let index = snapshots.lastIndex(where: { $0.revision < oldest + count && $0.revision >= oldest })
                ?? (isPinned ? nil : rebuiltSnapshot(at: oldest + count - 1, initial))
        else { return }
        let base = snapshots[index].revision
        privateState = sequence.privateState(through: base) ?? privateState
        sequence.removeFirst(base + 1 - oldest)
        snapshots.removeFirst(index)
    }

    /// Inserts the snapshot of a revision inside a transaction, which was longer than what is retained.
    ///
    /// - Returns: its index.
    private mutating func rebuiltSnapshot(at revision: Int, _ initial: [UInt8]) -> Int? {
        guard let state = replayBase(for: revision)?.state(initial: initial) else { return nil }
        let index = snapshots.firstIndex { $0.revision > revision } ?? snapshots.count
        snapshots.insert(History.Snapshot(revision: revision, json: state.encoded()), at: index)
        return index
    }
}
