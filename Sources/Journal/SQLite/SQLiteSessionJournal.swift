import Locks
import StoreHosting
import Stores

/// One session's transactions on their way to the database, and its newest commits in memory.
final class SQLiteSessionJournal: SessionJournal {
    fileprivate typealias Completion = @Sendable (JournalError?) -> Void

    private let writer: Writer
    let id: String
    // Guards the rest. Taken inside the store's lock; only the writer's queue is locked while it is held.
    private let contents: Locked<Contents>

    /// A session that is created, or one that was loaded and continues at `position`.
    init(
        _ writer: Writer, id: String, _ policy: SnapshotPolicy, revision: Int = 0, privateState: [UInt8]? = nil,
        position: AppendPosition? = nil, lastUse: Int = 0
    ) {
        self.writer = writer
        self.id = id
        contents = Locked(
            Contents(
                position: position, recent: RecentCommits(revision: revision), policy: policy,
                privateState: privateState, isUnused: position != nil && revision == 0, lastUse: lastUse,
                recordedUse: lastUse))
    }

    deinit {
        let (byteCount, number, use) = contents.withLock { contents in
            let use = contents.lastUse > contents.recordedUse && !contents.hasEnded ? contents.lastUse : nil
            return (contents.recent.byteCount, contents.position?.number, use)
        }
        writer.recentCommits.remove(byteCount)
        if let number, let use { writer.recordUse(use, of: number) }
    }

    func create(_ session: SessionHeader) {
        contents.withLock { contents in
            contents.lastUse = session.createdAt
            contents.recordedUse = session.createdAt
            contents.isUnused = true
            enqueue(.create(self, session), &contents)
        }
        notifyIfAcknowledged()
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        let isEnqueued = contents.withLock { contents in
            guard contents.failure == nil, !contents.hasEnded else {
                contents.waiters.resolve(through: .max, order: contents.enqueued)
                return false
            }
            let snapshot = contents.recordCommits(of: transaction, state)
            let limit = writer.recentCommits.perSessionLimit
            writer.recentCommits.add(contents.recent.append(transaction.commits, within: limit))
            enqueue(.append(self, transaction, snapshot), &contents)
            contents.waiters.resolve(through: contents.recent.lastRevision, order: contents.enqueued)
            return true
        }
        if isEnqueued { notifyIfAcknowledged() } else { notifyWaiters() }
    }

    func recordShareGeneration(_ generation: Int) {
        contents.withLock { contents in
            guard !contents.hasEnded, contents.failure == nil else { return }
            enqueue(.setShareGeneration(self, generation), &contents)
        }
        notifyIfAcknowledged()
    }

    func end(at moment: Int) {
        contents.withLock { contents in
            guard !contents.hasEnded else { return }
            contents.hasEnded = true
            enqueue(.end(self, id: id, at: moment), &contents)
        }
        notifyIfAcknowledged()
    }

    func isDurable(through revision: Int) -> Bool { contents.withLock { $0.isDurable(through: revision) } }

    func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) {
        let (isDurable, hasFailed) = contents.withLock { contents in
            if contents.isDurable(through: revision) { return (true, false) }
            let isAppended = revision <= contents.recent.lastRevision || contents.hasEnded
            contents.waiters.append(done, isAppended ? .order(contents.enqueued) : .revision(revision))
            return (false, contents.failure != nil)
        }
        // The caller may be inside the store, so nobody else's completion runs here. Whoever acknowledges calls `done`; after
        // a failure nobody does.
        if isDurable { done(nil) } else if hasFailed { notifyWaiters() }
    }

    var hasFailed: Bool { contents.withLock { $0.failure != nil } }

    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { $0.recent.commits(after: revision, limit: limit) }
    }

    func commits(
        after revision: Int, limit: Int, done: @escaping @Sendable (Result<[CommitRecord]?, JournalError>) -> Void
    ) {
        // Copy the buffer before reading rows: a commit moves from the buffer to the rows, so this order cannot miss
        // one.
        let (recent, number) = contents.withLock { ($0.recent, $0.position?.number) }
        if let commits = recent.commits(after: revision, limit: limit) { return done(.success(commits)) }
        guard let number else { return done(.success(nil)) }
        writer.readers.read(done) { reader throws(JournalError) in
            guard let rows = try reader.commits(of: number, after: revision, limit: limit) else { return nil }
            // If the rows end before the buffer begins, the writer has stored newer commits in the meantime. Those that
            // were read are enough then.
            let rest = recent.commits(after: rows.last?.revision ?? revision, limit: limit - rows.count)
            return rows + (rest ?? [])
        }
    }

    func oldestRevision(done: @escaping @Sendable (Result<Int, JournalError>) -> Void) {
        // All commits of a session that is not written yet are in memory.
        guard let number = contents.withLock({ $0.position?.number }) else { return done(.success(1)) }
        writer.readers.read(done) { reader throws(JournalError) in try reader.head(of: number).compactedThrough + 1 }
    }

    func replayBase(for revision: Int, done: @escaping @Sendable (Result<ReplayableState?, JournalError>) -> Void) {
        let (recent, number) = contents.withLock { ($0.recent, $0.position?.number) }
        // All commits of a session that is not written yet are in memory.
        guard let number else { return done(.success(recent.replayBase(for: revision, nil, []))) }
        writer.readers.read(done) { reader throws(JournalError) in
            try reader.replayBase(for: revision, of: number, and: recent)
        }
    }

    func recordUse(at moment: Int) {
        let number: Int? = contents.withLock { contents in
            contents.lastUse = max(contents.lastUse, moment)
            // The first use is recorded at once: a session that seems unused expires soon.
            let isDue = contents.isUnused || moment - contents.recordedUse >= 60_000
            guard let number = contents.position?.number, isDue, !contents.hasEnded else { return nil }
            contents.isUnused = false
            contents.recordedUse = moment
            return number
        }
        if let number { writer.recordUse(moment, of: number) }
    }
}

// The writer's side.
extension SQLiteSessionJournal {
    /// Where the writer appends the next row, nil if the session is not written yet; or why nothing is persisted any
    /// more.
    var position: Result<AppendPosition?, JournalError> {
        contents.withLock { contents in contents.failure.map { .failure($0) } ?? .success(contents.position) }
    }

    /// The writer has written the oldest command that it had not acknowledged. ``notifyWaiters()`` must follow.
    ///
    /// - Parameter position: where the next row is appended.
    func acknowledge(_ position: AppendPosition?) {
        contents.withLock { contents in
            if let position {
                contents.position = position
                let limit = writer.recentCommits.perSessionLimit
                writer.recentCommits.add(contents.recent.markDurable(through: position.revision, within: limit))
            }
            if !writer.acknowledgesOnEnqueue { contents.acknowledged += 1 }
        }
    }

    /// Nothing that is not acknowledged will be persisted, nor anything that follows. ``notifyWaiters()`` must follow.
    func fail(_ failure: JournalError) {
        contents.withLock { contents in
            contents.failure = contents.failure ?? failure
            writer.recentCommits.add(contents.recent.dropUndurable())
        }
    }

    /// Calls the completions that are due, in their order. While one thread does this, others leave it to that one.
    func notifyWaiters() {
        while true {
            let due = contents.withLock { $0.takeDue() }
            guard let due else { return }
            for done in due.acknowledged { done(nil) }
            for done in due.failed { done(due.failure) }
            contents.withLock { $0.isNotifying = false }
        }
    }

    private func enqueue(_ command: WriteCommand, _ contents: inout Contents) {
        contents.enqueued += 1
        writer.enqueue(command)
        if writer.acknowledgesOnEnqueue { contents.acknowledged = contents.enqueued }
    }

    private func notifyIfAcknowledged() {
        if writer.acknowledgesOnEnqueue { notifyWaiters() }
    }
}

extension SQLiteSessionJournal {
    fileprivate struct Contents {
        /// How many commands the writer was given, and how many of them it has acknowledged: written them, or with
        /// relaxed durability taken them.
        var enqueued = 0
        var acknowledged = 0
        var waiters = Waiters()
        /// Whether a thread calls completions now.
        var isNotifying = false
        /// Why nothing is persisted any more.
        var failure: JournalError?
        var hasEnded = false

        /// Where the next row is appended, as the writer knows it; nil until the session is written.
        var position: AppendPosition?
        var recent: RecentCommits
        var policy: SnapshotPolicy
        /// The private part of the newest state; nil if it is as at revision 0.
        var privateState: [UInt8]?

        /// Whether nothing was done on the session, as far as the writer was told.
        var isUnused = false
        /// When the session was used, and the newest of these moments that the writer was given.
        var lastUse = 0
        var recordedUse = 0
    }

    /// The completions of ``whenDurable(through:_:)``, in the order of the calls.
    fileprivate struct Waiters {
        enum Condition {
            /// That many commands are acknowledged.
            case order(Int)
            /// The transaction with that revision, which is not appended yet, is acknowledged.
            case revision(Int)
        }

        private var waiting: [(condition: Condition, done: Completion)] = []

        var isEmpty: Bool { waiting.isEmpty }

        mutating func append(_ done: @escaping Completion, _ condition: Condition) {
            waiting.append((condition, done))
        }

        /// A transaction was appended as the command `order`; it ends with `revision`.
        mutating func resolve(through revision: Int, order: Int) {
            for index in waiting.indices {
                guard case .revision(let awaited) = waiting[index].condition, awaited <= revision else { continue }
                waiting[index].condition = .order(order)
            }
        }

        /// Takes out the first ones, as far as their conditions are met.
        mutating func take(acknowledged: Int) -> [Completion] {
            let isMet: (Condition) -> Bool = { condition in
                if case .order(let order) = condition { order <= acknowledged } else { false }
            }
            let count = waiting.firstIndex { !isMet($0.condition) } ?? waiting.count
            defer { waiting.removeFirst(count) }
            return waiting.prefix(count).map(\.done)
        }

        mutating func takeAll() -> [Completion] {
            defer { waiting = [] }
            return waiting.map(\.done)
        }
    }
}

extension SQLiteSessionJournal.Contents {
    fileprivate func isDurable(through revision: Int) -> Bool {
        // With waiters in front, a caller that did not wait would overtake them.
        failure == nil && acknowledged == enqueued && waiters.isEmpty && !isNotifying
            && (revision <= recent.lastRevision || hasEnded)
    }

    /// - Returns: the snapshot of the state after the last commit, if one should be stored.
    fileprivate mutating func recordCommits(
        of transaction: CommitTransaction, _ state: borrowing StateView
    ) -> StateSnapshot? {
        privateState = transaction.commits.last { $0.privateState != nil }?.privateState ?? privateState
        guard policy.wantsSnapshot(after: transaction.commits) else { return nil }
        let json = state.encoded(.root)
        policy.recordSnapshot(at: transaction.lastRevision, byteCount: json.count)
        return StateSnapshot(json: json, privateState: privateState)
    }

    /// Takes out the completions to call now; nil if there are none, or another thread calls some.
    fileprivate mutating func takeDue() -> (
        acknowledged: [SQLiteSessionJournal.Completion], failed: [SQLiteSessionJournal.Completion],
        failure: JournalError?
    )? {
        guard !isNotifying else { return nil }
        let done = waiters.take(acknowledged: acknowledged)
        let failed = failure == nil ? [] : waiters.takeAll()
        if done.isEmpty, failed.isEmpty { return nil }
        isNotifying = true
        return (done, failed, failure)
    }
}
