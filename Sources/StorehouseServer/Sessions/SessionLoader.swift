import Locks
import StoreHosting
import Stores

/// Loads sessions that are not in memory, each once for all requests that ask for it at the same time.
final class SessionLoader: Sendable {
    typealias Found = Result<SessionRegistry.Lookup, Problem>
    typealias Restore =
        @Sendable (SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal) -> Result<Session, Problem>

    private let journal: any Journal
    private let registry: SessionRegistry
    private let restore: Restore
    // Guards the waiting requests by session. Nothing is called while it is held.
    private let waiting: Locked<[SessionID: [Waiter]]> = Locked([:])

    private struct Waiter {
        let isUse: Bool
        let done: @Sendable (Found) -> Void
    }

    init(_ journal: any Journal, _ registry: SessionRegistry, restore: @escaping Restore) {
        self.journal = journal
        self.registry = registry
        self.restore = restore
    }

    /// Calls `done` once, on any thread.
    ///
    /// - Parameter isUse: whether a request asks for the session, so that it counts as used.
    func load(_ id: SessionID, isUse: Bool = true, done: @escaping @Sendable (Found) -> Void) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting[id, default: []].append(Waiter(isUse: isUse, done: done)) }
            return waiting[id] == nil
        }
        guard isFirst else { return }
        // Another request may have loaded it since the caller's look. Use is counted for all who wait.
        if let known = registry.find(id, isUse: false) { return finish(id, .success(known)) }
        journal.load(id.description) { [self] found in finish(id, lookup(id, found)) }
    }

    private func finish(_ id: SessionID, _ found: Found) {
        let waiters = waiting.withLock { $0.removeValue(forKey: id) } ?? []
        if case .success(.session(let session)) = found, waiters.contains(where: \.isUse) { registry.touch(session) }
        for waiter in waiters { waiter.done(found) }
    }

    private func lookup(_ id: SessionID, _ found: Result<SessionLookup, JournalError>) -> Found {
        switch found {
        case .failure(let failure): return .failure(Problem(failure))
        case .success(.unknown): return .success(.unknown)
        case .success(.ended(let owner)): return .success(.ended(owner: owner))
        case .success(.session(let summary, let past, let answers, let journal)):
            guard registry.mayLoad(id, summary) else { return .success(.ended(owner: summary.header.owner)) }
            switch restore(summary, past, answers, journal) {
            case .failure(let problem): return .failure(problem)
            case .success(let session):
                // Interrupted effects are reported before any request can see the session.
                session.store.resume()
                registry.insert(session)
                return .success(.session(session))
            }
        }
    }
}
