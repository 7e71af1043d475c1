package import JSON
import Locks
package import StoreHosting
import Stores
import Synchronization
import Threads

/// A journal that lives as long as the process and retains the newest commits of each session.
///
/// Everything is durable at once, as far as that goes: it waits for nothing.
package struct MemoryJournal: Journal {
    private let retention: Retention

    /// An empty journal.
    ///
    /// - Parameters:
    ///   - keepCommits: how many commits of a session are retained at least, within `keepBytes`. Up to twice as many
    ///     are, and some more if the session's state is large.
    ///   - keepBytes: how many bytes the commits of a session and their snapshots take at most. The newest snapshot and
    ///     the commits after it stay, and so does what a valid idempotency record needs.
    package init(keepCommits: Int, keepBytes: Int = 64 << 20) {
        self.init(keepCommits: keepCommits, keepBytes: keepBytes, now: JournalTime.since(nil))
    }

    /// - Parameter now: the session time until ``useSessionTime(_:)`` tells another.
    package init(keepCommits: Int, keepBytes: Int = 64 << 20, now: @escaping @Sendable () -> Int) {
        retention = Retention(RetentionLimits(keepCommits: keepCommits, keepBytes: keepBytes), JournalTime(now))
    }

    /// How much of each session's log is retained, and the time by which records are valid.
    fileprivate final class Retention: Sendable {
        let limits: RetentionLimits
        let time: JournalTime

        init(_ limits: RetentionLimits, _ time: JournalTime) { (self.limits, self.time) = (limits, time) }
    }

    package var outlivesProcess: Bool { false }

    package var isShared: Bool { false }

    package var epoch: Int? { nil }

    package var isAvailable: Bool { true }

    /// 0: the server itself has the sessions.
    package var sessionCount: Int { 0 }

    package var transactionCount: Int { 0 }

    package func create(_ session: SessionHeader) -> any SessionJournal {
        MemorySessionJournal(retention, initial: session.initial.json)
    }

    package func load(_ id: String, for subject: Subject?) async throws(JournalError) -> SessionLookup { .unknown }

    package func list(after id: String?, limit: Int) async throws(JournalError) -> [SessionSummary] { [] }

    package func personalSession(of owner: Subject, kind: String) async throws(JournalError) -> String? { nil }

    package func idleSessions(before moment: Int, limit: Int) async throws(JournalError) -> [String] { [] }

    package func useSessionTime(_ now: @escaping @Sendable () -> Int) { retention.time.follow(now) }

    package func end(_ id: String, at moment: Int) {}

    package func close() async {}
}

/// One session's newest commits.
private final class MemorySessionJournal: SessionJournal {
    private let retention: MemoryJournal.Retention
    /// The state at revision 0 as JSON, which all sessions of a kind share.
    private let initial: [UInt8]
    /// Made at the first commit: a session without any is small.
    private let history = LazyReference<History>()

    init(_ retention: MemoryJournal.Retention, initial: [UInt8]) {
        self.retention = retention
        self.initial = initial
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        guard !transaction.commits.isEmpty || transaction.idempotencyRecord != nil else { return }
        let history = history.load(orStore: History(retention.limits))
        history.append(transaction, state, retention, initial)
    }

    func isDurable(through revision: Int) -> Bool { true }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }

    var hasFailed: Bool { false }

    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]? {
        guard let history = history.load() else { return [] }
        return history.commits(after: revision, limit: limit)
    }

    func commits(after revision: Int, limit: Int) async throws(JournalError) -> [CommitRecord]? {
        bufferedCommits(after: revision, limit: limit)
    }

    func oldestRevision() async throws(JournalError) -> Int { history.load()?.oldestRevision ?? 1 }

    func replayBase(for revision: Int) async throws(JournalError) -> ReplayableState? {
        guard let history = history.load() else {
            return ReplayableState(snapshot: nil, patches: [], privateState: nil)
        }
        return history.replayBase(for: revision)
    }

    func recordUse(at moment: Int, every interval: Int) {}

    /// The session in memory has it.
    func record(_ change: PermitChange) {}

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
        /// The revisions that idempotency records show.
        var pinned = PinnedRevisions()
        /// About how many bytes the commits and the snapshots take.
        var byteCount = 0
        var policy: SnapshotPolicy
        /// Until the log is that long, nothing can be dropped.
        var pausedUntil = (revision: 0, byteCount: 0)
    }

    // Guards the commits and snapshots. Taken inside the store's lock; no other lock is taken while it is held.
    private let contents: Locked<Contents>

    init(_ limits: RetentionLimits) {
        // Without a snapshot among the retained commits, none of them could be dropped.
        contents = Locked(Contents(policy: SnapshotPolicy(limits, maxDistance: limits.keepCommits)))
    }

    func append(
        _ transaction: CommitTransaction, _ state: borrowing StateView, _ retention: MemoryJournal.Retention,
        _ initial: [UInt8]
    ) {
        contents.withLock { contents in
            if let record = transaction.idempotencyRecord { contents.pinned.add(record) }
            guard let newest = transaction.commits.last else { return }
            for commit in transaction.commits { contents.append(commit) }
            if contents.policy.wantsSnapshot(at: newest.revision) {
                contents.append(History.Snapshot(revision: state.revision, json: state.encoded(.root)))
            }
            contents.trim(retention.limits, initial, retention.time)
        }
    }

    func commits(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { $0.sequence.commits(after: revision, limit: limit) }
    }

    var oldestRevision: Int { contents.withLock { $0.sequence.firstRevision ?? $0.sequence.lastRevision + 1 } }

    func replayBase(for revision: Int) -> ReplayableState? {
        contents.withLock { $0.replayBase(for: revision) }
    }
}

extension History.Contents {
    fileprivate mutating func append(_ commit: CommitRecord) {
        let bytes = commit.byteCounts
        sequence.append(commit)
        policy.count(bytes)
        byteCount += bytes.all
    }

    fileprivate mutating func append(_ snapshot: History.Snapshot) {
        snapshots.append(snapshot)
        byteCount += snapshot.json.count
        policy.recordSnapshot(at: snapshot.revision, byteCount: snapshot.json.count)
    }

    /// Drops the oldest commits if there are too many, or if they take too much memory.
    ///
    /// Some go at a time, so that a commit costs the same however many are retained.
    ///
    /// - Parameter time: the session time.
    fileprivate mutating func trim(_ limits: RetentionLimits, _ initial: [UInt8], _ time: JournalTime) {
        let total = sequence.commits.count
        let (isLong, isLarge) = (total > 2 * limits.keepCommits, byteCount > limits.keepBytes)
        guard isLong || isLarge, sequence.lastRevision >= pausedUntil.revision || byteCount >= pausedUntil.byteCount,
            let oldest = sequence.firstRevision
        else { return }
        let count = max(
            isLong ? total - limits.keepCommits : 0, isLarge ? excess(above: limits.trimmedBytes) : 0)
        let needed = pinned.oldest(now: time()) ?? .max
        guard needed - oldest < count else { return drop(count, initial, mayRebuild: true) }
        // A valid record needs the others. Look again when the log is a quarter longer.
        pausedUntil = (
            sequence.lastRevision + max(32, limits.keepCommits / 4), byteCount + max(1, limits.keepBytes / 4)
        )
        drop(needed - oldest + 1, initial, mayRebuild: false)
    }

    /// How many commits there are up to the first snapshot with which the log fits a limit, or up to the newest one.
    private func excess(above limit: Int) -> Int {
        guard let oldest = sequence.firstRevision else { return 0 }
        var (rest, count) = (byteCount, 0)
        for (index, snapshot) in snapshots.enumerated() where rest > limit && snapshot.revision >= oldest {
            if index > 0 { rest -= snapshots[index - 1].json.count }
            while count < snapshot.revision + 1 - oldest {
                rest -= sequence.commits[count].byteCount
                count += 1
            }
        }
        return count
    }

    fileprivate func replayBase(for revision: Int) -> ReplayableState? {
        let snapshot = snapshots.last { $0.revision <= revision }
        let base = snapshot?.revision ?? 0
        // Records of actions that changed nothing may have come before the first commit.
        guard revision + 1 >= sequence.firstRevision ?? sequence.lastRevision + 1,
            let commits = sequence.commits(after: base, limit: revision - base)
        else { return nil }
        return ReplayableState(
            snapshot: snapshot?.json, patches: commits.map { $0.changes.encoded() },
            privateState: sequence.privateState(through: revision) ?? privateState)
    }

    /// Drops the oldest `count` commits, or as many fewer as it takes to have a snapshot before the rest.
    ///
    /// - Parameter mayRebuild: whether a snapshot is made if there is none.
    private mutating func drop(_ count: Int, _ initial: [UInt8], mayRebuild: Bool) {
        guard let oldest = sequence.firstRevision, count > 0,
            let index = snapshots.lastIndex(where: { $0.revision < oldest + count && $0.revision >= oldest })
                ?? (mayRebuild ? rebuiltSnapshot(at: oldest + count - 1, initial) : nil)
        else { return }
        let dropped = snapshots[index].revision + 1 - oldest
        privateState = sequence.privateState(through: snapshots[index].revision) ?? privateState
        byteCount -= sequence.commits.prefix(dropped).reduce(0) { $0 + $1.byteCount }
        byteCount -= snapshots.prefix(index).reduce(0) { $0 + $1.json.count }
        sequence.removeFirst(dropped)
        snapshots.removeFirst(index)
    }

    /// Inserts the snapshot of a revision inside a transaction, which was longer than what is retained.
    ///
    /// - Returns: its index.
    private mutating func rebuiltSnapshot(at revision: Int, _ initial: [UInt8]) -> Int? {
        guard let state = replayBase(for: revision)?.state(initial: initial) else { return nil }
        let index = snapshots.firstIndex { $0.revision > revision } ?? snapshots.count
        let snapshot = History.Snapshot(revision: revision, json: state.encoded())
        snapshots.insert(snapshot, at: index)
        byteCount += snapshot.json.count
        return index
    }
}
