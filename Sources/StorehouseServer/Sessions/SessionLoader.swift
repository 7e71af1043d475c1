import HTTP
import Locks
import StoreHosting
import Stores

/// Finds sessions that are not in memory, each once for all who ask for it at the same time.
final class SessionLoader: Sendable {
    typealias Found = Result<SessionRegistry.Lookup, Problem>

    private let journal: any Journal
    private let registry: SessionRegistry
    /// Makes a session of what was kept of it.
    private let restore:
        @Sendable (SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal) -> Result<Session, Problem>
    // Guards who waits for which session. Nothing is called while it is held.
    private let waiting: Locked<[SessionID: [@Sendable (Found) -> Void]]> = Locked([:])

    init(
        _ journal: any Journal, _ registry: SessionRegistry,
        restore:
            @escaping @Sendable (SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal) -> Result<
                Session, Problem
            >
    ) {
        self.journal = journal
        self.registry = registry
        self.restore = restore
    }

    /// Calls `done` with what was found, once, on any thread.
    func load(_ id: SessionID, done: @escaping @Sendable (Found) -> Void) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting[id, default: []].append(done) }
            return waiting[id] == nil
        }
        guard isFirst else { return }
        // Between the look into the memory and this one it may have come in.
        if let known = registry.find(id) { return finish(id, .success(known)) }
        journal.load(id.description) { [self] found in finish(id, lookup(id, found)) }
    }

    private func finish(_ id: SessionID, _ found: Found) {
        let done = waiting.withLock { $0.removeValue(forKey: id) } ?? []
        for done in done { done(found) }
    }

    private func lookup(_ id: SessionID, _ found: Result<SessionLookup, JournalError>) -> Found {
        switch found {
        case .failure(let failure): return .failure(Problem(failure))
        case .success(.unknown): return .success(.unknown)
        case .success(.ended): return .success(.ended)
        case .success(.session(let kept, let past, let answers, let journal)):
            guard registry.wakes(id, lastActiveAt: kept.lastActiveAt) else { return .success(.ended) }
            switch restore(kept, past, answers, journal) {
            case .failure(let problem): return .failure(problem)
            case .success(let session):
                // What was cut off is told before anybody can see it, or send an action that counts on it.
                session.store.resume()
                registry.enter(session)
                return .success(.session(session))
            }
        }
    }
}

extension Problem {
    /// Why nothing was kept, or nothing found.
    init(_ failure: JournalError) {
        switch failure {
        case .unavailable:
            self.init(.storageUnavailable, "The storage cannot be reached now; nothing was committed. Try again soon.")
        case .conflict:
            self.init(
                .storageUnavailable, "Somebody else has committed to this session meanwhile; nothing was. Try again.")
        case .corrupt:
            self.init(.internalError, "What is kept of this session is damaged; the operator has to restore it.")
        }
    }
}

extension Service {
    /// Goes on with the session that a path names, on the call's loop: now where it is in memory, else when it was found.
    func withSession(
        _ segment: PathSegment, _ call: Call, _ use: @escaping @Sendable (Session, Call) throws(Problem) -> Void
    ) throws(Problem) {
        try find(segment, call) { (found, call) throws(Problem) in try use(try Self.session(found), call) }
    }

    /// The same where it matters what became of it.
    func find(
        _ segment: PathSegment, _ call: Call,
        _ use: @escaping @Sendable (SessionRegistry.Lookup, Call) throws(Problem) -> Void
    ) throws(Problem) {
        guard let id = SessionID(segment.decoded) else { return try use(.unknown, call) }
        try find(id, call, use)
    }

    func find(
        _ id: SessionID, _ call: Call, _ use: @escaping @Sendable (SessionRegistry.Lookup, Call) throws(Problem) -> Void
    ) throws(Problem) {
        if let found = registry.find(id) { return try use(found, call) }
        guard let loader else { return try use(.unknown, call) }
        let later = call.later
        loader.load(id) { found in
            later.resume { call throws(Problem) in try use(try found.get(), call) }
        }
    }

    static func session(_ found: SessionRegistry.Lookup) throws(Problem) -> Session {
        switch found {
        case .session(let session): return session
        case .ended:
            throw Problem(.sessionEnded, "This session was deleted or expired; create another with POST /sessions.")
        case .unknown:
            throw Problem(.noSuchSession, "No session has this id; create one with POST /sessions.")
        }
    }
}

extension Call {
    /// Sends an answer about a session once all is kept that it may tell of.
    func answer(_ response: Response, about session: Session) {
        guard let journal = session.journal, !journal.isDurable else { return answer(response) }
        let deferred = deferred
        journal.whenDurable { failure in deferred.answer { failure.map { Problem($0).response } ?? response } }
    }
}
