import Locks
import StoreHosting
import Stores

/// One session's transactions on their way to the database, and its newest commits in memory.
final class SQLiteSessionJournal: SessionJournal {
    private let writer: Writer
    let id: String
    // Guards the rest. Taken inside the store's lock; only the writer's queue is locked while it is held.
    private let contents: Locked<SessionContents<AppendPosition>>

    /// A session that is created, or one that was loaded and continues at `position`.
    init(
        _ writer: Writer, id: String, _ policy: SnapshotPolicy, revision: Int = 0, privateState: [UInt8]? = nil,
        position: AppendPosition? = nil, lastUse: Int = 0
    ) {
        self.writer = writer
        self.id = id
        contents = Locked(
            SessionContents(
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
            contents.append(transaction, state, writer.recentCommits) { snapshot, contents in
                enqueue(.append(self, transaction, snapshot), &contents)
            }
        }
        if isEnqueued { notifyIfAcknowledged() } else { notifyWaiters() }
    }

    func record(_ change: PermitChange) {
        contents.withLock { contents in
            guard !contents.hasEnded, contents.failure == nil else { return }
            enqueue(.changePermits(self, change), &contents)
        }
        notifyIfAcknowledged()
    }

    func index(_ members: [ActorID]) {
        contents.withLock { contents in
            guard !contents.hasEnded, contents.failure == nil else { return }
            enqueue(.index(self, members), &contents)
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

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) {
        contents.whenDurable(through: revision, notify: waiter)
    }

    var hasFailed: Bool { contents.withLock { $0.failure != nil } }

    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { $0.recent.commits(after: revision, limit: limit) }
    }

    func commits(after revision: Int, limit: Int) async throws(JournalError) -> [CommitRecord]? {
        // Copy the buffer before reading rows: a commit moves from the buffer to the rows, so this order cannot miss
        // one.
        let (recent, number) = contents.withLock { ($0.recent, $0.position?.number) }
        if let commits = recent.commits(after: revision, limit: limit) { return commits }
        guard let number else { return nil }
        return try await writer.readers.read(of: .number(number)) { reader throws(JournalError) in
            guard let rows = try reader.commits(of: number, after: revision, limit: limit) else { return nil }
            // If the rows end before the buffer begins, the writer has stored newer commits in the meantime. Those that
            // were read are enough then.
            let rest = recent.commits(after: rows.last?.revision ?? revision, limit: limit - rows.count)
            return rows + (rest ?? [])
        }
    }

    func oldestRevision() async throws(JournalError) -> Int {
        // All commits of a session that is not written yet are in memory.
        guard let number = contents.withLock({ $0.position?.number }) else { return 1 }
        return try await writer.readers.read(of: .number(number)) { reader throws(JournalError) in
            try reader.head(of: number).compactedThrough + 1
        }
    }

    func replayBase(for revision: Int) async throws(JournalError) -> ReplayableState? {
        let (recent, number) = contents.withLock { ($0.recent, $0.position?.number) }
        // All commits of a session that is not written yet are in memory.
        guard let number else { return recent.replayBase(for: revision, nil, []) }
        return try await writer.readers.read(of: .number(number)) { reader throws(JournalError) in
            try reader.replayBase(for: revision, of: number, and: recent)
        }
    }

    func recordUse(at moment: Int, every interval: Int) {
        let number: Int? = contents.withLock { contents in
            contents.lastUse = max(contents.lastUse, moment)
            // The first use is recorded at once: a session that seems unused expires soon.
            let isDue = contents.isUnused || moment - contents.recordedUse > interval
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

    /// The writer has written the oldest command that it had not acknowledged. Calls the completions that waited for it.
    ///
    /// - Parameter position: where the next row is appended.
    func acknowledge(_ position: AppendPosition?) {
        contents.notifyWaiters(after: { contents in
            if let position {
                contents.position = position
                let limit = writer.recentCommits.perSessionLimit
                writer.recentCommits.add(contents.recent.markDurable(through: position.revision, within: limit))
            }
            if !writer.acknowledgesOnEnqueue { contents.acknowledged += 1 }
        })
    }

    /// Nothing that is not acknowledged will be persisted, nor anything that follows. Calls the completions that waited for it.
    func fail(_ failure: JournalError) {
        contents.notifyWaiters(after: { $0.fail(failure, writer.recentCommits) })
    }

    private func notifyWaiters() { contents.notifyWaiters() }

    private func enqueue(_ command: WriteCommand, _ contents: inout SessionContents<AppendPosition>) {
        contents.enqueued += 1
        writer.enqueue(command)
        if writer.acknowledgesOnEnqueue { contents.acknowledged = contents.enqueued }
    }

    private func notifyIfAcknowledged() {
        if writer.acknowledgesOnEnqueue { notifyWaiters() }
    }
}
