import Locks
import StoreHosting
import Stores

/// Loads sessions that are not in memory, each once for all requests that ask for it at the same time.
final class SessionLoader: Sendable {
    typealias Found = Result<SessionRegistry.Lookup, SessionFailure>
    typealias Restore =
        @Sendable (SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal) -> Result<
            Session, SessionFailure
        >

    private let journal: any Journal
    private let registry: SessionRegistry
    private let restore: Restore
    // Guards the waiting requests by session. Nothing is called while it is held.
    private let waiting: Locked<[SessionID: [@Sendable (Found) -> Void]]> = Locked([:])

    init(_ journal: any Journal, _ registry: SessionRegistry, restore: @escaping Restore) {
        self.journal = journal
        self.registry = registry
        self.restore = restore
    }

    /// Calls `done` once, on any thread. This does not count as use of the session.
    func load(_ id: SessionID, done: @escaping @Sendable (Found) -> Void) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting[id, default: []].append(done) }
            return waiting[id] == nil
        }
        guard isFirst else { return }
        // Another request may have loaded it since the caller's look.
        if let known = registry.find(id) { return finish(id, .success(known)) }
        journal.load(id.description) { [self] found in finish(id, lookup(id, found)) }
    }

    /// The same for tasks.
    func load(_ id: SessionID) async throws(SessionFailure) -> SessionRegistry.Lookup {
        try await Promise.value { load(id, done: $0) }.get()
    }

    private func finish(_ id: SessionID, _ found: Found) {
        let waiters = waiting.withLock { $0.removeValue(forKey: id) } ?? []
        for done in waiters { done(found) }
    }

    private func lookup(_ id: SessionID, _ found: Result<SessionLookup, JournalError>) -> Found {
        switch found {
        case .failure(.corrupt(let detail, let owner)):
            return .success(.unreadable(.unavailable(.storage(.corrupt(detail))), owner: owner))
        case .failure(let failure): return .failure(.unavailable(.storage(failure)))
        case .success(.unknown): return .success(.unknown)
        case .success(.ended(let owner)): return .success(.ended(owner: owner))
        case .success(.elsewhere(let owner)): return .success(.elsewhere(owner))
        case .success(.session(let summary, let past, let answers, let journal)):
            guard registry.mayLoad(id, summary) else { return .success(.ended(owner: summary.header.owner)) }
            switch restore(summary, past, answers, journal) {
            case .failure(let failure):
                // A node of another release may be able to read it.
                journal.release { _ in }
                return .success(.unreadable(failure, owner: summary.header.owner))
            case .success(let session):
                // Interrupted effects are reported before any request can see the session.
                session.store.resume()
                registry.insert(session)
                return .success(.session(session))
            }
        }
    }
}
