import JSON
import Locks
package import StoreHosting
import Stores
import Synchronization
package import Threads

/// The sessions in memory by their ids. Any thread may call it.
package final class SessionRegistry: Sendable {
    package let policy: SessionPolicy
    package let clock: SessionClock
    package let basePath: String
    /// The name of this node; nil outside of a cluster.
    package let node: String?
    let journal: (any Journal)?
    let events: Counters<SessionEvent>
    // Each guards a range of ids, in the order of the ids. There are so many that a page of the list of a million sessions
    // is found in a few of them. Nothing else is locked while one is held.
    private let shards: [Locked<IdentifiedTable<Session>>]
    // The ids of the personal sessions in memory. Nothing else is locked while it is held.
    private let personal: Locked<[PersonalKey: SessionID]> = Locked([:])
    private let count = Atomic<Int>(0)
    /// How many transactions the journal had when the session time was recorded.
    private let recordedTransactions = Atomic<Int>(0)
    /// How many sessions were dropped although commits of theirs had been reported as durable.
    private let evictionCount = Atomic<Int>(0)
    /// Has the sessions in memory by their owners and members, unless the journal indexes them.
    package let subjects = SubjectIndex()
    private let indexesSubjects: Bool
    let tombstones: SessionTombstones
    private let expiry: ExpiryQueue<Session>
    /// The sessions that have expired, for the log.
    package let expirations: ExpiryReport
    /// Where the journal is searched next for sessions that were never used: the earlier ones are used or have ended.
    private let unusedSearch = Atomic<Int>(0)

    /// - Parameters:
    ///   - basePath: stands before the paths in documents.
    ///   - node: the name of this node; nil outside of a cluster.
    ///   - events: counts what happens to sessions.
    package init(
        _ policy: SessionPolicy, journal: (any Journal)?, clock: WallClock, basePath: String = "",
        node: String? = nil,
        events: Counters<SessionEvent> = Counters()
    ) {
        self.policy = policy
        self.basePath = basePath
        self.node = node
        self.events = events
        tombstones = SessionTombstones(maxSessions: policy.maxSessions)
        self.journal = journal
        indexesSubjects = journal?.outlivesProcess != true
        self.clock =
            if journal?.isShared == true {
                // Several processes have only the time of day in common.
                SessionClock(clock.timeOfDay)
            } else {
                SessionClock(clock, after: journal?.timeReference, maxAbsence: policy.maxAbsence)
            }
        journal?.useSessionTime(self.clock.now)
        shards = (0..<SessionID.rangeCount).map { _ in Locked(IdentifiedTable()) }
        expiry = ExpiryQueue(granularity: policy.sweepInterval)
        expirations = ExpiryReport(policy)
    }

    /// Whether other processes may create sessions too.
    package var isShared: Bool { journal?.isShared == true }

    package var residentCount: Int { count.load(ordering: .relaxed) }

    /// Whether more sessions fit into memory.
    package var hasRoom: Bool { residentCount < policy.maxResident }

    /// How many sessions there are, in memory or only in the journal.
    package var sessionCount: Int { max(residentCount, journal?.sessionCount ?? 0) }

    /// Creates a session with the id and session time that `make` gets; nil if there are as many as may be.
    ///
    /// - Parameter id: no session may have or have had it.
    package func create<Failure: Error>(
        _ id: SessionID = .random(), _ make: (SessionID, Int) throws(Failure) -> Session
    ) throws(Failure) -> Session? {
        let resident = count.add(1, ordering: .relaxed).newValue
        guard policy.admits(resident: resident, stored: journal?.sessionCount ?? 0) else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        let now = clock.now()
        let session: Session
        do throws(Failure) {
            session = try make(id, now)
        } catch {
            count.subtract(1, ordering: .relaxed)
            throw error
        }
        insert(session, now)
        events.add(to: .created)
        return session
    }

    /// In how many seconds the next session in memory is ended, unless it is used until then; an hour at most.
    package var secondsUntilExpiry: Int {
        let now = clock.now()
        let next = expiry.earliest(limit: 64).map { $0.expires(policy, now: now) }.min() ?? SessionPolicy.never
        return max(1, min(3600, (next - now + policy.sweepInterval + 999) / 1000))
    }

    /// Inserts a session that was loaded from the journal. This does not count as use: a timer may have loaded it.
    package func insert(_ session: Session) {
        let now = clock.now()
        count.add(1, ordering: .relaxed)
        insert(session, now)
        events.add(to: .woken)
    }

    /// Counts as use of a session.
    package func touch(_ session: Session) { session.touch(clock.now()) }

    private func insert(_ session: Session, _ now: Int) {
        // First, because whoever finds the session may end it, and that removes its entries.
        if indexesSubjects { session.insert(into: subjects) }
        shard(of: session.id).withLock { $0.insert(session) }
        if let key = session.personalKey { personal.withLock { $0[key] = session.id } }
        enqueue(session, at: now + policy.timeout(isUsed: session.isUsed))
    }

    /// Finds a session in memory; nil if it is not here and the journal may have it.
    ///
    /// This does not count as use; see ``touch(_:)``.
    package func find(_ id: SessionID) -> Lookup? {
        guard let session = resident(id) else { return tombstones.lookup(id) }
        switch lookup(session) {
        case .use: return .session(session)
        case .end:
            endExpired(session, clock.now())
            return .ended(owner: session.owner)
        case .evict:
            evict(session)
            return nil
        }
    }

    /// The session, if it is in memory and can be used. For any other, ``find(_:)`` tells what it is.
    package func usable(_ id: SessionID) -> Session? {
        guard let session = resident(id), case .use = lookup(session) else { return nil }
        return session
    }

    private func lookup(_ session: Session) -> SessionPolicy.LookupInstruction {
        policy.lookup(
            isExpired: session.isExpired(policy, now: clock.expiryTime()), hasFailed: session.journal?.hasFailed == true
        )
    }

    /// Whether a session of the journal may be loaded. If it has expired, this ends it.
    func mayLoad(_ id: SessionID, _ summary: SessionSummary) -> Bool {
        let now = clock.now()
        guard expires(summary) <= clock.expiryTime() else { return tombstones.lookup(id) == nil }
        let cause = policy.expiryCause(isUsed: summary.isUsed)
        end(id, now, cause, of: summary.header.kind, owner: summary.header.owner)
        return false
    }

    /// When a session of the journal expires unless it is used. A timer that will fire uses it.
    package func expires(_ summary: SessionSummary) -> Int {
        let timeout = policy.timeout(isUsed: summary.isUsed)
        guard timeout < SessionPolicy.never else { return timeout }
        return (summary.nextDeadline == nil ? summary.lastActiveAt : max(summary.lastActiveAt, clock.now())) + timeout
    }

    /// Ends a session that has expired and is not in memory.
    ///
    /// - Parameters:
    ///   - kind: its kind of store; nil if that is not known.
    ///   - createdAt: if another process may have used it since; nil if that is known.
    private func end(
        _ id: SessionID, _ now: Int, _ cause: ExpiryReport.Cause, of kind: String? = nil, owner: Subject? = nil,
        createdAt: Int? = nil
    ) {
        if tombstones.isEnding(id) { return }
        // The journal may list it again until it has written the end.
        if tombstones.lookup(id) == nil {
            events.add(to: .expired)
            expirations.add(cause, of: kind)
        }
        // A shared journal may refuse the end, and it knows those that it has not refused.
        if journal?.isShared != true { tombstones.add(id, now: now, owner: owner) }
        if let createdAt {
            journal?.endUnused(id.description, createdAt: createdAt, at: now)
        } else {
            journal?.end(id.description, at: now)
        }
    }

    /// Ends the names of the histories of sessions that are loaded from now on: the same revision numbers may be given to
    /// other states, if commits were lost since the start.
    package var historySuffix: String {
        let count = evictionCount.load(ordering: .acquiring)
        return count > 0 ? ".\(count)" : ""
    }

    /// Removes a session that continues from its journal.
    private func evict(_ session: Session) {
        if journal?.epoch != nil { evictionCount.add(1, ordering: .releasing) }
        session.detach()
        remove(session)
    }

    func remove(_ session: Session) {
        guard shard(of: session.id).withLock({ $0.remove(session) }) else { return }
        if let key = session.personalKey { personal.withLock { if $0[key] == session.id { $0[key] = nil } } }
        if indexesSubjects, session.hasSubjects { subjects.remove(session.id) }
        count.subtract(1, ordering: .relaxed)
        expiry.remove(session, at: session.expiryCheckAt)
    }

    /// Ends the sessions that have expired.
    package func sweep() {
        guard clock.wall.isTrusted() else { return }
        let now = clock.now()
        for session in expiry.due(now) {
            let moment = session.expires(policy, now: now)
            guard moment > now else {
                endExpired(session, now)
                continue
            }
            enqueue(session, at: moment)
            // A session that was removed meanwhile may have left the queue before it was added again.
            if resident(session.id) !== session { expiry.remove(session, at: moment) }
        }
        guard let journal else { return }
        beginTask { [self] in await endIdle(in: journal, now) }
        beginTask { [self] in await endUnused(in: journal, now) }
    }

    /// Ends idle sessions that are not in memory, so many at a time that a million take some minutes.
    private func endIdle(in journal: any Journal, _ now: Int) async {
        guard policy.idleTimeout < SessionPolicy.never else { return }
        let found = try? await journal.idleSessions(before: now - policy.idleTimeout, limit: 20_000)
        for text in found ?? [] {
            guard let id = SessionID(text.utf8), resident(id) == nil else { continue }
            end(id, now, .idle)
        }
    }

    /// Ends the sessions that were never used, and that have waited too long for their first use.
    private func endUnused(in journal: any Journal, _ now: Int) async {
        guard policy.unusedTimeout < policy.idleTimeout else { return }
        let start = max(now - policy.idleTimeout, unusedSearch.load(ordering: .relaxed))
        let limit = now - policy.unusedTimeout
        guard let found = try? await journal.unusedSessions(from: start, before: limit, limit: 20_000) else { return }
        for session in found.sessions {
            guard let id = SessionID(session.id.utf8), resident(id) == nil else { continue }
            end(id, now, .unused, createdAt: session.createdAt)
        }
        unusedSearch.store(found.next, ordering: .relaxed)
    }

    /// Records the session time for a later process, so that it can tell how much time has passed.
    ///
    /// - Parameter isLast: false to do so only if something else was written since the last time.
    package func recordTime(isLast: Bool) {
        guard let journal else { return }
        let count = journal.transactionCount
        // The newest of these transactions is that of the time itself.
        guard isLast || count > recordedTransactions.load(ordering: .relaxed) + 1 else { return }
        recordedTransactions.store(count, ordering: .relaxed)
        journal.record(clock.reference)
    }

    /// Detaches the least recently used sessions, if more are in memory than should be.
    package func hibernate() {
        guard let journal, journal.sessionCount > 0, let goal = policy.hibernationGoal(resident: residentCount) else {
            return
        }
        var candidates: [(Session, lastActiveAt: Int)] = []
        for shard in shards {
            candidates += shard.withLock { $0.elements.map { ($0, lastActiveAt: $0.lastActiveAt) } }
        }
        for session in policy.hibernationOrder(candidates) {
            guard residentCount > goal else { return }
            tryHibernate(session)
        }
    }

    private func tryHibernate(_ session: Session) {
        guard session.tryHibernate() else { return }
        remove(session)
        events.add(to: .hibernated)
    }

    /// Forgets a session that continues elsewhere.
    ///
    /// - Parameter tryRelease: detaches it, unless it is in use; see ``Session/tryRelease()``.
    /// - Returns: whether it is now detached.
    package func release(_ session: Session, by tryRelease: (Session) -> Bool) -> Bool {
        guard tryRelease(session) else { return false }
        remove(session)
        return true
    }

    /// Calls `body` with each session in memory, some at a time, so that nobody waits for all of them.
    func forEachResident(_ body: (Session) -> Void) {
        for shard in shards { shard.withLock(\.elements).forEach(body) }
    }

    /// All sessions in memory.
    var residents: [Session] { shards.flatMap { $0.withLock(\.elements) } }

    private func enqueue(_ session: Session, at moment: Int) {
        session.expiryCheckAt = moment
        // A session that has been used once and then never expires need not be looked at again.
        if moment < SessionPolicy.never { expiry.add(session, at: moment) }
    }

    /// Detaches all sessions, as the server stops.
    package func detachAll() {
        for session in residents { session.detach() }
    }

    /// Drops all sessions: they may belong to other nodes, and are loaded again when they are asked for.
    package func evictAll() {
        for session in residents { evict(session) }
    }

    /// The sessions in memory after `id` in the order of their ids, at most `limit`.
    package func list(
        after id: SessionID?, limit: Int, where isListed: (Session) -> Bool = { _ in true }
    ) -> [Session] {
        var found: [Session] = []
        for shard in shards[(id?.range ?? 0)...] {
            var sessions = shard.withLock { $0.elements.filter(isListed).map { (order: $0.id.order, session: $0) } }
            if let id, case let last = id.order {
                sessions.removeAll { $0.order < last || $0.order == last && $0.session.id <= id }
            }
            sessions.sort { $0.order == $1.order ? $0.session.id < $1.session.id : $0.order < $1.order }
            found += sessions.prefix(limit - found.count).map(\.session)
            if found.count >= limit { break }
        }
        return found
    }

    /// The id of a personal session if it is in memory.
    package func personalSession(_ key: PersonalKey) -> SessionID? { personal.withLock { $0[key] } }

    /// The session if it is in memory. This does not count as use.
    package func resident(_ id: SessionID) -> Session? { shard(of: id).withLock { $0[id] } }

    private func shard(of id: SessionID) -> Locked<IdentifiedTable<Session>> { shards[id.range] }
}
