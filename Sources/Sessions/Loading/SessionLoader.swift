package import StoreHosting
import Stores

/// Loads sessions that are not in memory, each once for all requests that ask for it at the same time.
package final class SessionLoader: Sendable {
    typealias Found = Result<SessionRegistry.Lookup, SessionFailure>
    package typealias Restore =
        @Sendable (SessionSummary, ReplayableState, [IdempotencyRecord], any SessionJournal) -> Result<
            Session, SessionFailure
        >

    private let journal: any Journal
    private let registry: SessionRegistry
    private let restore: Restore
    private let loads = SharedWork<SessionID, SessionRegistry.Lookup>()

    package init(_ journal: any Journal, _ registry: SessionRegistry, restore: @escaping Restore) {
        self.journal = journal
        self.registry = registry
        self.restore = restore
    }

    /// Finds a session. This does not count as use of it.
    package func load(_ id: SessionID) async throws(SessionFailure) -> SessionRegistry.Lookup {
        try await loads.value(of: id) { (_) async throws(SessionFailure) in
            // Not on the loop of a request: it takes time to replay a long history and to decode a state.
            try await beginTask { await self.found(id) }.value.get()
        }
    }

    private func found(_ id: SessionID) async -> Found {
        // Another request may have loaded it since the caller's look.
        if let known = registry.find(id) { return .success(known) }
        do throws(JournalError) {
            return .success(await lookup(id, try await journal.load(id.description)))
        } catch {
            guard case .corrupt(let detail, let owner) = error else { return .failure(.unavailable(.storage(error))) }
            return .success(.unreadable(.unavailable(.storage(.corrupt(detail))), owner: owner))
        }
    }

    private func lookup(_ id: SessionID, _ found: SessionLookup) async -> SessionRegistry.Lookup {
        switch found {
        case .unknown: return .unknown
        case .ended(let owner): return .ended(owner: owner)
        case .elsewhere(let owner): return .elsewhere(owner)
        case .session(let summary, let past, let answers, let journal):
            guard registry.mayLoad(id, summary) else { return .ended(owner: summary.header.owner) }
            switch restore(summary, past, answers, journal) {
            case .failure(let failure):
                // A node of another release may be able to read it, as soon as the client is told that this one is not.
                try? await journal.release()
                return .unreadable(failure, owner: summary.header.owner)
            case .success(let session):
                session.watchMakers()
                session.store.rest(summary.dormancy)
                // Interrupted effects are reported before any request can see the session.
                // A fork without a commit of its own has not reported yet those of its parent.
                session.store.resume(asCopy: summary.dormancy == .asleep)
                registry.insert(session)
                return .session(session)
            }
        }
    }
}

extension SessionSummary {
    /// How much of a stored session rests. A fork without a commit has not been used. One without a deadline has no timer of a client,
    /// but may have some that were never armed.
    fileprivate var dormancy: Dormancy {
        if header.forkedFrom == nil { return .awake }
        if revision == 0 { return .asleep }
        return nextDeadline == nil ? .withoutTimers : .awake
    }
}
