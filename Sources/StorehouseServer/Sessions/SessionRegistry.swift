import Locks
import Stores
import Synchronization

/// The sessions by their ids. Any thread may ask.
final class SessionRegistry: Sendable {
    enum Lookup {
        case session(Session)
        case ended
        case unknown
    }

    struct Settings: Sendable {
        /// How many sessions there may be.
        var most = 1_000_000
        /// After so many milliseconds without use a session ends.
        var idleTimeout = 86_400_000
    }

    private static let shardCount = 16

    let settings: Settings
    private let clock: Clock
    // Each guards its part of the sessions. Nothing else is locked while one is held.
    private let shards: [Locked<[SessionID: Session]>]
    private let count = Atomic<Int>(0)
    private let ended: EndedSessions
    private let expiry: ExpiryQueue<Session>

    init(_ settings: Settings, clock: Clock) {
        self.settings = settings
        self.clock = clock
        shards = (0..<Self.shardCount).map { _ in Locked([:]) }
        ended = EndedSessions()
        expiry = ExpiryQueue(granularity: max(20, min(10_000, settings.idleTimeout / 20)))
    }

    /// How often ``sweep()`` is worth calling, in milliseconds.
    var sweepInterval: Int { expiry.granularity }

    /// A new session, made with its id and the moment; nil where there are as many as may be.
    func create(_ make: (SessionID, Int) -> Session) -> Session? {
        guard count.add(1, ordering: .relaxed).newValue <= settings.most else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        let now = clock.now()
        let id = SessionID.random()
        let session = make(id, now)
        shard(of: id).withLock { $0[id] = session }
        queue(session, at: now + settings.idleTimeout)
        return session
    }

    /// The session of that id, which counts as used by this.
    func find(_ id: SessionID) -> Lookup {
        guard let session = shard(of: id).withLock({ $0[id] }) else {
            return ended.contains(id) ? .ended : .unknown
        }
        let now = clock.now()
        if session.isExpired(after: settings.idleTimeout, now: now) {
            end(session)
            return .ended
        }
        session.touch(now)
        return .session(session)
    }

    /// Ends a session, once.
    func end(_ session: Session) {
        // Remembered before it is forgotten, so that nobody finds it unknown in between.
        ended.add(session.id, now: clock.now())
        guard shard(of: session.id).withLock({ $0.removeValue(forKey: session.id) }) != nil else { return }
        count.subtract(1, ordering: .relaxed)
        expiry.remove(session, at: session.queuedFor)
        session.end()
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
            if shard(of: session.id).withLock({ $0[session.id] }) == nil { expiry.remove(session, at: moment) }
        }
    }

    private func queue(_ session: Session, at moment: Int) {
        session.queuedFor = moment
        expiry.add(session, at: moment)
    }

    /// Stops what all sessions run, as the server ends.
    func endAll() {
        for shard in shards {
            for session in shard.withLock({ Array($0.values) }) { session.store.end() }
        }
    }

    private func shard(of id: SessionID) -> Locked<[SessionID: Session]> {
        shards[Int(truncatingIfNeeded: id.low) & (Self.shardCount - 1)]
    }
}
