import Locks
import Observability
import StoreHosting
import Stores
import Synchronization

/// The sessions in memory by their ids. Any thread may ask.
final class SessionRegistry: Sendable {
    enum Lookup: Sendable {
        case session(Session)
        case ended
        case unknown
    }

    struct Settings: Sendable {
        /// How many sessions there may be.
        var most = 1_000_000
        /// How many of them stay in memory, where the others can be found again.
        var mostResident = 20_000
        /// After so many milliseconds without use a session ends.
        var idleTimeout = 86_400_000
    }

    private static let shardCount = 16

    let settings: Settings
    private let clock: WallClock
    private let journal: (any Journal)?
    // Each guards its part of the sessions. Nothing else is locked while one is held.
    private let shards: [Locked<[SessionID: Session]>]
    private let count = Atomic<Int>(0)
    private let ended: SessionTombstones
    private let expiry: ExpiryQueue<Session>

    init(_ settings: Settings, journal: (any Journal)?, clock: WallClock) {
        self.settings = settings
        self.journal = journal
        self.clock = clock
        shards = (0..<Self.shardCount).map { _ in Locked([:]) }
        ended = SessionTombstones()
        expiry = ExpiryQueue(granularity: max(20, min(10_000, settings.idleTimeout / 20)))
    }

    /// How often ``sweep()`` is worth calling, in milliseconds.
    var sweepInterval: Int { expiry.granularity }

    /// How many are in memory.
    var residents: Int { count.load(ordering: .relaxed) }

    /// A new session, made with its id and the moment; nil where there are as many as may be.
    func create<Failure: Error>(_ make: (SessionID, Int) throws(Failure) -> Session) throws(Failure) -> Session? {
        let resident = count.add(1, ordering: .relaxed).newValue
        guard resident <= settings.most, (journal?.sessionCount ?? 0) < settings.most else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        let now = clock.now()
        let session: Session
        do throws(Failure) {
            session = try make(SessionID.random(), now)
        } catch {
            count.subtract(1, ordering: .relaxed)
            throw error
        }
        place(session, now)
        return session
    }

    /// Takes in a session that was found where it rested.
    func enter(_ session: Session) {
        count.add(1, ordering: .relaxed)
        place(session, clock.now())
    }

    private func place(_ session: Session, _ now: Int) {
        shard(of: session.id).withLock { $0[session.id] = session }
        queue(session, at: now + settings.idleTimeout)
    }

    /// The session of that id, which counts as used by this; nil where it is not in memory and may rest elsewhere.
    func find(_ id: SessionID) -> Lookup? {
        guard let session = shard(of: id).withLock({ $0[id] }) else { return ended.contains(id) ? .ended : nil }
        let now = clock.now()
        if session.isExpired(after: settings.idleTimeout, now: now) {
            end(session)
            return .ended
        }
        if session.journal?.hasFailed == true {
            // What it holds is more than what is kept.
            drop(session)
            return nil
        }
        session.touch(now)
        return .session(session)
    }

    /// What there is to a session that rests: one that nobody used for so long ends with this.
    func wakes(_ id: SessionID, lastActiveAt: Int) -> Bool {
        let now = clock.now()
        guard lastActiveAt + settings.idleTimeout <= now else { return !ended.contains(id) }
        ended.add(id, now: now)
        journal?.end(id.description, at: now)
        return false
    }

    /// Ends a session, once.
    func end(_ session: Session) {
        let now = clock.now()
        // Remembered before it is forgotten, so that nobody finds it unknown in between.
        ended.add(session.id, now: now)
        guard remove(session) else { return }
        session.end(at: now)
    }

    /// Lets go of a session that rests elsewhere, or is found again there as it was kept.
    func drop(_ session: Session) {
        guard remove(session) else { return }
        session.leave()
    }

    private func remove(_ session: Session) -> Bool {
        let isThere = shard(of: session.id).withLock { sessions in
            guard sessions[session.id] === session else { return false }
            sessions[session.id] = nil
            return true
        }
        guard isThere else { return false }
        count.subtract(1, ordering: .relaxed)
        expiry.remove(session, at: session.queuedFor)
        return true
    }

    /// Ends the sessions that nobody used for too long.
    func sweep() {
        let now = clock.now()
        for session in expiry.due(now) {
            let moment = session.expires(after: settings.idleTimeout, now: now)
            guard moment > now else {
                end(session)
                continue
            }
            queue(session, at: moment)
            // One that ended meanwhile may have left the queue before it came in again.
            if shard(of: session.id).withLock({ $0[session.id] }) !== session { expiry.remove(session, at: moment) }
        }
        endIdle(now)
    }

    /// Ends the sessions at rest that nobody used for too long, some at a time.
    private func endIdle(_ now: Int) {
        journal?.idleSessions(before: now - settings.idleTimeout, limit: 1000) { [self] found in
            for text in (try? found.get()) ?? [] {
                guard let id = SessionID(text.utf8), shard(of: id).withLock({ $0[id] }) == nil else { continue }
                _ = wakes(id, lastActiveAt: now - settings.idleTimeout)
            }
        }
    }

    /// Lets sessions rest that nobody used for longest, where there are more in memory than should be.
    func hibernate() {
        guard let journal, journal.sessionCount > 0, residents > settings.mostResident else { return }
        var candidates: [(Session, Int)] = []
        for shard in shards {
            candidates += shard.withLock { $0.values.map { ($0, $0.lastActiveAt) } }
        }
        candidates.sort { $0.1 < $1.1 }
        // Some more than must go, so that not each look has to sort.
        let goal = settings.mostResident - settings.mostResident / 10
        for (session, _) in candidates {
            guard residents > goal else { return }
            if session.rests() { drop(session) }
        }
    }

    private func queue(_ session: Session, at moment: Int) {
        session.queuedFor = moment
        expiry.add(session, at: moment)
    }

    /// Stops what all sessions run, as the server ends.
    func endAll() {
        for shard in shards {
            for session in shard.withLock({ Array($0.values) }) { session.leave() }
        }
    }

    /// The sessions in memory behind `id` in the order of their ids, `limit` of them at most.
    func list(after id: SessionID?, limit: Int) -> [Session] {
        var found: [Session] = []
        for shard in shards {
            found += shard.withLock { $0.values.filter { session in id.map { $0 < session.id } ?? true } }
        }
        found.sort { $0.id < $1.id }
        return Array(found.prefix(limit))
    }

    private func shard(of id: SessionID) -> Locked<[SessionID: Session]> {
        shards[Int(truncatingIfNeeded: id.low) & (Self.shardCount - 1)]
    }
}
