import Locks
import StoreHosting
import Stores
import Synchronization

/// One session's transactions on their way to Redis, and its newest commits in memory.
final class RedisSessionJournal: SessionJournal {
    /// What the storage knows of the session.
    struct Progress: Sendable {
        /// Whether the creation is acknowledged.
        var isCreated: Bool
        /// Where the acknowledged commands end.
        var acknowledged: RedisPosition
        /// Where the sent commands end.
        var sent: RedisPosition
        /// Where each of the commands ends that were sent and are not acknowledged, oldest first.
        var inFlight: [RedisPosition] = []
        var nextCompactionCheck: Int
        var nextCompactionBytes: Int
        /// The revisions that idempotency records show.
        var pinned = PinnedRevisions()

        init(_ position: RedisPosition, isCreated: Bool, cut: Int, _ limits: RetentionLimits) {
            (acknowledged, sent) = (position, position)
            self.isCreated = isCreated
            nextCompactionCheck = limits.firstCompactionCheck(after: cut)
            nextCompactionBytes = isCreated ? 0 : limits.keepBytes
        }
    }

    typealias Contents = SessionContents<Progress>

    private let journal: RedisJournal
    let id: String
    private let hash: String
    private let key: String
    /// Names this object in the storage: whoever loads the session writes another one there.
    private let claim: RedisClaim
    /// That of the storage when the session was loaded.
    private let lossID: Int
    // Guards the rest. Taken inside the store's lock; only the connection's inbox is locked while it is held.
    private let contents: Locked<Contents>

    init(
        _ journal: RedisJournal, id: String, _ claim: RedisClaim, lossID: Int, _ progress: Progress,
        _ policy: SnapshotPolicy,
        privateState: [UInt8]? = nil, lastUse: Int
    ) {
        self.journal = journal
        self.id = id
        hash = RedisNames.hash(of: id)
        key = journal.names.session(hash)
        self.claim = claim
        self.lossID = lossID
        let revision = progress.acknowledged.revision
        contents = Locked(
            Contents(
                position: progress, recent: RecentCommits(revision: revision), policy: policy,
                privateState: privateState,
                isUnused: revision == 0, lastUse: lastUse, recordedUse: lastUse))
    }

    deinit {
        let (byteCount, use) = contents.withLock { contents in
            let use = contents.lastUse > contents.recordedUse && !contents.hasEnded ? contents.lastUse : nil
            return (contents.recent.byteCount, use)
        }
        journal.recentCommits.remove(byteCount)
        if let use { journal.recordUse(use, of: hash) }
    }

    func create(_ session: SessionHeader) {
        let (names, sealer, hash, claim, lossID) = (journal.names, journal.sealer, hash, claim.text, lossID)
        contents.withLock { contents in
            failIfForeign(&contents)
            guard contents.failure == nil else { return }
            send(.create, byteCount: 256 + session.initial.json.count, &contents) { _ in
                guard let id = sealer.seal(Array(session.id.utf8)) else { return nil }
                return session.creationArguments(
                    names, hash, claim: claim, sealedID: id, lastUse: session.createdAt, lossID: lossID)
            }
        }
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        let (hash, claim, now) = (hash, claim.text, journal.now)
        let isEnqueued = contents.withLock { contents in
            failIfForeign(&contents)
            return contents.append(transaction, state, journal.recentCommits) { snapshot, contents in
                let byteCount = transaction.byteCount + (snapshot?.json.count ?? 0)
                send(.append, byteCount: byteCount, answer: transaction.idempotencyRecord, &contents) { progress in
                    guard transaction.baseRevision == progress.sent.revision else { return nil }
                    return progress.sent.append(transaction, snapshot, hash, claim: claim, now: now())
                }
            }
        }
        if !isEnqueued { contents.notifyWaiters() }
    }

    func recordShareGeneration(_ generation: Int) {
        let (hash, claim) = (hash, claim.text)
        contents.withLock { contents in
            guard !contents.hasEnded, contents.failure == nil else { return }
            send(.share, &contents) { progress in
                progress.sent.sequence += 1
                progress.sent.shareGeneration = generation
                return [
                    hash, claim, String(progress.sent.sequence), String(progress.sent.revision), String(generation),
                ]
                .map { Array($0.utf8) }
            }
        }
    }

    func end(at moment: Int) {
        let (hash, claim) = (hash, claim.text)
        contents.withLock { contents in
            guard !contents.hasEnded else { return }
            contents.hasEnded = true
            send(.end, &contents) { _ in
                [hash, claim, String(RetentionPolicy.tombstoneTTL), "", ""].map { Array($0.utf8) }
            }
        }
    }

    func release(_ done: @escaping @Sendable (JournalError?) -> Void) {
        let failure: JournalError? = contents.withLock { contents in
            failIfForeign(&contents)
            if let failure = contents.failure { return failure }
            guard !contents.hasEnded, contents.isDurable(through: 0) else {
                return .unavailable("the session has commits that are not durable")
            }
            // Nothing may follow.
            contents.fail(.unavailable("the session is handed over"), journal.recentCommits)
            return nil
        }
        if let failure { return done(failure) }
        let claim = claim.text
        journal.connection.call(.release, key) {
            [Array(claim.utf8)]
        } done: { [connection = journal.connection] result in
            switch result {
            case .success(let reply):
                let written = RedisWritten(reply)
                if let written { connection.acknowledge(written) }
                done(written == nil ? .conflict : nil)
            case .failure(let failure): done(failure)
            }
        }
    }

    func isDurable(through revision: Int) -> Bool {
        contents.withLock { $0.isDurable(through: revision) } && mayAnswer
    }

    func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) {
        contents.whenDurable(through: revision) { [self] failure in
            if failure == nil, !mayAnswer { loseOwnership() }
            done(failure ?? contents.withLock(\.failure))
        }
    }

    var hasFailed: Bool { isOld || !mayAnswer || contents.withLock { $0.failure != nil } }

    /// Whether the storage has lost commits since the session was loaded, perhaps some of this session, or it may belong to
    /// another node.
    private var isOld: Bool {
        journal.connection.lossID.load(ordering: .acquiring) != lossID
            || !journal.connection.membership.isCurrent(claim.life)
    }

    /// Whether nobody else can have changed the session.
    private var mayAnswer: Bool { journal.connection.membership.mayAnswer(claim.life) }

    /// Persists nothing more if this object may be old.
    private func failIfForeign(_ contents: inout Contents) {
        let isForeign = !mayAnswer
        guard isForeign || isOld else { return }
        let detail = "the node's lease has ended"
        // What was sent before may be executed.
        let isUnknown = isForeign && contents.acknowledged < contents.enqueued
        let failure: JournalError = isUnknown ? .outcomeUnknown(detail) : isForeign ? .unavailable(detail) : .conflict
        contents.fail(failure, journal.recentCommits)
    }

    /// The lease has ended before the answer was made. What was committed is loaded again.
    private func loseOwnership() {
        let error = JournalError.outcomeUnknown("the node's lease has ended")
        contents.withLock { $0.fail(error, journal.recentCommits) }
    }

    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { $0.recent.commits(after: revision, limit: limit) }
    }

    func commits(
        after revision: Int, limit: Int, done: @escaping @Sendable (Result<[CommitRecord]?, JournalError>) -> Void
    ) {
        // Copy the buffer before reading the log: a commit moves from the buffer to the log, so this order cannot miss
        // one.
        let recent = contents.withLock(\.recent)
        if let commits = recent.commits(after: revision, limit: limit) { return done(.success(commits)) }
        journal.read(.commits, key, [String(revision), String(min(limit, 1 << 32))], done) {
            fields throws(JournalError) in
            let log = try RedisLog(fields, 3)
            guard revision >= log.cut else { return nil }
            let rows = try log.rows(after: revision)
            let stored = try rows.map { row throws(JournalError) in
                guard let record = row.record else {
                    throw .corrupt("the commit of revision \(row.revision) cannot be read")
                }
                return record
            }
            let rest = recent.commits(after: rows.last?.revision ?? revision, limit: limit - rows.count)
            return stored + (rest ?? [])
        }
    }

    func oldestRevision(done: @escaping @Sendable (Result<Int, JournalError>) -> Void) {
        guard contents.withLock({ $0.position?.isCreated == true }) else { return done(.success(1)) }
        journal.read(.commits, key, ["0", "0"], done) { fields throws(JournalError) in try RedisLog(fields, 3).cut + 1 }
    }

    func replayBase(for revision: Int, done: @escaping @Sendable (Result<ReplayableState?, JournalError>) -> Void) {
        let (recent, isCreated) = contents.withLock { ($0.recent, $0.position?.isCreated == true) }
        // All commits of a session that is not stored yet are in memory.
        guard isCreated else { return done(.success(recent.replayBase(for: revision, nil, []))) }
        journal.read(.replay, key, [String(revision)], done) { fields throws(JournalError) in
            guard fields.count == 6, let base = fields[3].integer else {
                throw .corrupt("the log has no complete record")
            }
            let log = try RedisLog(fields, 5)
            guard revision >= log.cut, base >= log.cut else { return nil }
            guard let snapshot = try? fields[4].bytes.map(SnapshotRow.init(encoded:)) else {
                if base > 0 { throw .corrupt("a snapshot has a wrong checksum") }
                return recent.replayBase(for: revision, nil, try log.rows(after: 0))
            }
            return recent.replayBase(for: revision, snapshot, try log.rows(after: base, seed: snapshot.chain))
        }
    }

    func recordUse(at moment: Int) {
        let isDue = contents.withLock { contents in
            contents.lastUse = max(contents.lastUse, moment)
            // The first use is recorded at once: a session that seems unused expires soon.
            let isDue = contents.isUnused || moment - contents.recordedUse >= 60_000
            guard contents.position?.isCreated == true, isDue, !contents.hasEnded else { return false }
            contents.isUnused = false
            contents.recordedUse = moment
            return true
        }
        if isDue { journal.recordUse(moment, of: hash) }
    }
}

// The storage's side.
extension RedisSessionJournal {
    /// Sends a command that changes the session.
    ///
    /// - Parameter arguments: made when it is sent, and moves the position; nil if it does not follow what was sent before.
    private func send(
        _ script: RedisScript, byteCount: Int = 64, answer: IdempotencyRecord? = nil, _ contents: inout Contents,
        _ arguments: @escaping @Sendable (inout Progress) -> [[UInt8]]?
    ) {
        contents.enqueued += 1
        journal.connection.call(script, key, byteCount: byteCount) { [self] in
            self.contents.withLock { contents in
                guard contents.failure == nil, var progress = contents.position else { return nil }
                guard let arguments = arguments(&progress) else { return nil }
                progress.inFlight.append(progress.sent)
                if let answer { progress.pinned.add(answer) }
                contents.position = progress
                return arguments
            }
        } done: { [self] result in
            switch result {
            case .success(let reply): take(reply)
            case .failure(let failure): fail(failure)
            }
            self.contents.notifyWaiters()
        }
    }

    private func take(_ reply: RedisReply) {
        guard let written = RedisWritten(reply) else { return fail(.conflict) }
        journal.connection.acknowledge(written)
        let check = contents.withLock { contents -> CompactionCheck? in
            guard contents.failure == nil, var progress = contents.position, !progress.inFlight.isEmpty else {
                return nil
            }
            progress.acknowledged = progress.inFlight.removeFirst()
            progress.isCreated = true
            contents.acknowledged += 1
            let revision = progress.acknowledged.revision
            let budget = journal.recentCommits
            budget.add(contents.recent.markDurable(through: revision, within: budget.perSessionLimit))
            defer { contents.position = progress }
            return contents.hasEnded ? nil : progress.compactionCheck(journal.limits, now: journal.now())
        }
        if let check { compact(check) }
    }

    private func compact(_ check: CompactionCheck) {
        let arguments = check.arguments(journal.limits, claim: claim.text, now: journal.now())
        journal.connection.call(.compact, key) {
            arguments
        } done: { _ in
        }
    }

    /// Persists nothing more.
    private func fail(_ failure: JournalError) {
        if case .corrupt(let detail, _) = failure { journal.connection.report(.damaged(session: id, detail)) }
        contents.withLock { $0.fail(failure, journal.recentCommits) }
    }
}
