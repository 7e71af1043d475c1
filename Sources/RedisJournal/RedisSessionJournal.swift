import Journal
import Locks
import StoreHosting
import Stores
import Synchronization
import Threads

/// One session's transactions on their way to Redis, and its newest commits in memory.
final class RedisSessionJournal: SessionJournal {
    /// After how many idempotency records the expired ones are deleted.
    private static let sweepDistance = 64

    typealias Contents = SessionContents<Progress>

    private let journal: RedisJournal
    let id: String
    private let hash: String
    private let key: String
    private let keys: RedisKeys
    /// Names this object in the storage: whoever loads the session writes another one there.
    private let claim: RedisClaim
    /// That of the storage when the session was loaded.
    private let lineageID: Int
    // Guards the position, the commits in memory and the waiters. Taken inside the store's lock; only the connection's inbox or its
    // scripts are locked while it is held.
    private let contents: Locked<Contents>

    init(
        _ journal: RedisJournal, id: String, _ claim: RedisClaim, lineageID: Int, _ progress: Progress,
        _ policy: SnapshotPolicy,
        privateState: [UInt8]? = nil, lastUse: Int
    ) {
        self.journal = journal
        self.id = id
        hash = RedisNames.hash(of: id)
        key = journal.names.session(hash)
        keys = journal.names.keys(key)
        self.claim = claim
        self.lineageID = lineageID
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
        contents.withLock { contents in
            failIfForeign(&contents)
            guard contents.failure == nil else { return }
            send(.create(session), byteCount: 256 + session.initial.json.count, &contents)
        }
    }

    func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
        let isEnqueued = contents.withLock { contents in
            failIfForeign(&contents)
            return contents.append(transaction, state, journal.recentCommits) { snapshot, contents in
                let byteCount = transaction.byteCount + (snapshot?.json.count ?? 0)
                send(RedisSessionChange(transaction, snapshot), byteCount: byteCount, &contents)
            }
        }
        if !isEnqueued { notifyWaiters() }
    }

    func record(_ change: PermitChange) {
        contents.withLock { contents in
            guard !contents.hasEnded, contents.failure == nil else { return }
            send(.permits(change), byteCount: change.byteCount, &contents)
        }
    }

    func index(_ members: [ActorID]) {
        contents.withLock { contents in
            guard !contents.hasEnded, contents.failure == nil else { return }
            send(.index(members), byteCount: members.byteCount, &contents)
        }
    }

    func end(at moment: Int) {
        contents.withLock { contents in
            guard !contents.hasEnded else { return }
            contents.hasEnded = true
            send(.end, &contents)
        }
    }

    func release() async throws(JournalError) {
        if let failure = stop() { throw failure }
        let claim = claim.text
        let result: Result<Void, JournalError> = await Promise.value { done in
            journal.connection.call(.release, keys) {
                RedisArguments(claim)
            } done: { [connection = journal.connection] result in
                done(
                    result.flatMap { reply in
                        guard let written = RedisWritten(reply) else { return .failure(.conflict) }
                        connection.acknowledge(written)
                        return .success(())
                    })
            }
        }
        try result.get()
    }

    /// Persists nothing more, if everything is durable.
    ///
    /// - Returns: why the session cannot be released; nil if it can.
    private func stop() -> JournalError? {
        contents.withLock { contents in
            failIfForeign(&contents)
            if let failure = contents.failure { return failure }
            guard !contents.hasEnded, contents.isSettled else {
                return .unavailable("the session has commits that are not durable")
            }
            // Nothing may follow.
            contents.fail(.unavailable("the session is handed over"), journal.recentCommits)
            return nil
        }
    }

    func isDurable(through revision: Int) -> Bool {
        contents.withLock { $0.isDurable(through: revision) } && mayAnswer
    }

    func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) {
        contents.whenDurable(through: revision, notify: waiter, problem)
    }

    var hasFailed: Bool { isOld || !mayAnswer || contents.withLock { $0.failure != nil } }

    /// Whether the storage has lost commits since the session was loaded, perhaps some of this session, or it may belong to
    /// another node.
    private var isOld: Bool {
        journal.connection.lineageID.load(ordering: .acquiring) != lineageID
            || !journal.connection.membership.isCurrent(claim.incarnation)
    }

    /// Whether nobody else can have changed the session.
    private var mayAnswer: Bool { journal.connection.membership.mayAnswer(claim.incarnation) }

    /// Persists nothing more if this object may be old.
    private func failIfForeign(_ contents: inout Contents) {
        let isForeign = !mayAnswer
        guard isForeign || isOld else { return }
        let detail = "the node's lease has ended"
        // Redis may have executed the commands that were sent before.
        let isUnknown = isForeign && contents.acknowledged < contents.enqueued
        let failure: JournalError = isUnknown ? .outcomeUnknown(detail) : isForeign ? .unavailable(detail) : .conflict
        contents.fail(failure, journal.recentCommits)
    }

    /// Why not to answer although the commit is acknowledged; nil to answer.
    ///
    /// If the lease has ended before the answer is made, or Redis has lost commits, the committed state is loaded
    /// again.
    private func problem() -> JournalError? {
        guard isOld || !mayAnswer else { return nil }
        let error = JournalError.outcomeUnknown("the node's lease has ended, or Redis has lost commits")
        contents.withLock { $0.fail(error, journal.recentCommits) }
        return error
    }

    /// - Parameter change: is done before, with the same lock.
    private func notifyWaiters(after change: (inout Contents) -> Void = { _ in }) {
        contents.notifyWaiters(after: change, problem)
    }

    func bufferedCommits(after revision: Int, limit: Int) -> [CommitRecord]? {
        contents.withLock { $0.recent.commits(after: revision, limit: limit) }
    }

    func commits(after revision: Int, limit: Int) async throws(JournalError) -> [CommitRecord]? {
        // Copy the buffer before reading the log: a commit moves from the buffer to the log, so this order cannot miss
        // one.
        let recent = contents.withLock(\.recent)
        if let commits = recent.commits(after: revision, limit: limit) { return commits }
        let arguments = [String(revision), String(min(limit, 1 << 32)), String(CommitRow.portionBytes)]
        return try await read(.commits, arguments) { fields throws(JournalError) in
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

    func oldestRevision() async throws(JournalError) -> Int {
        guard contents.withLock({ $0.position?.isCreated == true }) else { return 1 }
        return try await read(.commits, ["0", "0", "0"]) { fields throws(JournalError) in
            try RedisLog(fields, 3).cut + 1
        }
    }

    func replayBase(for revision: Int) async throws(JournalError) -> ReplayableState? {
        let (recent, isCreated) = contents.withLock { ($0.recent, $0.position?.isCreated == true) }
        // All commits of a session that is not stored yet are in memory.
        guard isCreated else { return recent.replayBase(for: revision, nil, []) }
        return try await read(.replay, [String(revision)]) { fields throws(JournalError) in
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

    /// Calls a script that reads the session, which must still be the one that was loaded: if Redis has lost its newest commits, others may
    /// stand in their place, or none.
    private func read<Value: Sendable>(
        _ script: RedisScript, _ arguments: [String],
        _ body: @escaping @Sendable ([RedisReply]) throws(JournalError) -> Value
    ) async throws(JournalError) -> Value {
        let result: Result<Value, JournalError>
        do throws(JournalError) {
            result = .success(try await journal.read(script, of: key, arguments, body))
        } catch {
            result = .failure(error)
        }
        guard !isOld else { throw .unavailable("the node's lease has ended, or Redis has lost commits") }
        return try result.get()
    }

    func recordUse(at moment: Int, every interval: Int) {
        let isDue = contents.withLock { contents in
            contents.lastUse = max(contents.lastUse, moment)
            // The first use is recorded at once: a session that seems unused expires soon.
            let isDue = contents.isUnused || moment - contents.recordedUse > interval
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
    private func send(_ change: RedisSessionChange, byteCount: Int = 64, _ contents: inout Contents) {
        let connection = journal.connection
        let request = RedisSessionRequest(self, change, byteCount: byteCount, deadline: connection.nextDeadline)
        // It must not overtake the session's commands before it.
        let way = contents.acknowledged < contents.enqueued ? contents.position?.way : nil
        contents.enqueued += 1
        contents.position?.way = connection.send(
            request, behind: way, byLane: change.isTransaction && byteCount <= RedisLane.maxRequestBytes)
    }

    /// Makes the commands when they are sent for the first time, and moves the position.
    ///
    /// - Returns: nil if they are of no use any more, or do not follow the commands that were sent before.
    func encode(_ change: RedisSessionChange) -> RedisBatch? {
        contents.withLock { contents in
            guard contents.failure == nil else { return nil }
            return contents.position?.send(change.idempotencyRecord) { commands(of: change, &$0.sent) } ?? nil
        }
    }

    private func commands(of change: RedisSessionChange, _ position: inout RedisPosition) -> RedisBatch? {
        let connection = journal.connection
        switch change {
        case .create(let session):
            guard let sealed = journal.sealer.seal(Array(id.utf8)) else { return nil }
            let creation = RedisCreation(
                session, journal.names, hash, claim: claim.text, sealedID: sealed, lineageID: lineageID)
            return creation.commands(createdAt: session.createdAt, connection.encode)
        case .commits(let base, let commits, let nextDeadline):
            return append(
                CommitTransaction(baseRevision: base, commits: commits, nextDeadline: nextDeadline), nil, &position)
        case .append(let transaction, let snapshot): return append(transaction, snapshot, &position)
        case .permits(let change):
            position.sequence += 1
            let (script, arguments) = change.call(by: claim.text, position)
            return RedisBatch(
                [connection.encode(script, keys, arguments)] + change.deletion(from: key), resultIndex: 0)
        case .index(let members):
            position.sequence += 1
            let arguments = RedisNames.relation(of: hash, .set, claim.text, position.sequence, Array(Set(members)))
            return connection.encode(.relate, keys, arguments).map(RedisBatch.init)
        case .end: return journal.names.end(of: hash, claim: claim.text, connection.encode)
        }
    }

    private func append(
        _ transaction: CommitTransaction, _ snapshot: StateSnapshot?, _ position: inout RedisPosition
    ) -> RedisBatch? {
        let old = position
        guard
            let arguments = position.append(
                transaction, snapshot, claim: claim.text,
                expiry: { journal.expiry(after: RetentionPolicy.idempotencyTTL) }),
            let append = journal.connection.encode(.append, keys, arguments)
        else { return nil }
        let (deadline, use) = (position.nextDeadline, position.indexedUse)
        let sweeps = position.answerCount != old.answerCount && position.answerCount.isMultiple(of: Self.sweepDistance)
        let members = transaction.members
        let deletion = transaction.clients?.deletion(from: key) ?? []
        if deadline == old.nextDeadline, use == old.indexedUse, !sweeps, members == nil, deletion.isEmpty {
            return RedisBatch(append)
        }
        var commands: [RedisCommand?] = [append]
        var resultIndex = 0
        if deadline != old.nextDeadline {
            let arguments = RedisArguments(
                hash, claim.text, String(position.sequence), deadline.map(String.init) ?? "-")
            // The index must never have a later time than the session. So it is changed first if the time gets earlier, and else last.
            resultIndex = (deadline ?? .max) < (old.nextDeadline ?? .max) ? 1 : 0
            commands.insert(journal.connection.encode(.schedule, keys, arguments), at: 1 - resultIndex)
        }
        if let added = members?.added, !added.isEmpty {
            commands.insert(relate(.add, added, position.sequence), at: 0)
            resultIndex += 1
        }
        if let removed = members?.removed, !removed.isEmpty {
            commands.append(relate(.remove, removed, position.sequence))
        }
        commands += deletion
        if use != old.indexedUse { commands.append(journal.use(of: hash, at: use)) }
        if sweeps { commands.append(journal.connection.encode(.sweep, keys, RedisArguments(claim.text))) }
        return RedisBatch(commands, resultIndex: resultIndex)
    }

    private func relate(_ change: RedisNames.Relation, _ members: [ActorID], _ sequence: Int) -> RedisCommand? {
        journal.connection.encode(.relate, keys, RedisNames.relation(of: hash, change, claim.text, sequence, members))
    }

    func take(_ result: Result<RedisReply, JournalError>) {
        switch result {
        case .success(let reply):
            guard let written = RedisWritten(reply) else {
                if contents.withLock({ $0.position?.isCreated == false }) { journal.unindex([hash]) }
                return fail(.conflict)
            }
            acknowledge(written)
        case .failure(let failure): fail(failure)
        }
    }

    private func acknowledge(_ written: RedisWritten) {
        journal.connection.acknowledge(written)
        var check: CompactionCheck?
        notifyWaiters { contents in
            guard contents.failure == nil, let revision = contents.position?.acknowledge() else { return }
            contents.acknowledged += 1
            let budget = journal.recentCommits
            budget.add(contents.recent.markDurable(through: revision, within: budget.perSessionLimit))
            guard !contents.hasEnded else { return }
            check = contents.position?.compactionCheck(journal.limits) { journal.expiry(after: 0) }
        }
        if let check { compact(check) }
    }

    private func compact(_ check: CompactionCheck) {
        let arguments = check.arguments(journal.limits, claim: claim.text)
        journal.connection.call(.compact, keys) {
            arguments
        } done: { [self] result in
            if case .success = result { sweep() }
        }
    }

    /// Deletes the rest of the last compaction, in steps that take Redis some milliseconds at most.
    private func sweep() {
        let claim = claim.text
        journal.connection.call(.sweep, keys) {
            RedisArguments(claim)
        } done: { [self] result in
            if case .success(.integer(2)) = result { sweep() }
        }
    }

    /// Persists nothing more.
    private func fail(_ failure: JournalError) {
        if case .corrupt(let detail, _) = failure { journal.connection.report(.damaged(session: id, detail)) }
        notifyWaiters { $0.fail(failure, journal.recentCommits) }
    }
}
