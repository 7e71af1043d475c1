import JSON
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
    private let kinds: [KindRuntime]
    private let restore: Restore
    private let loads = SharedWork<SessionID, Outcome>()

    /// - Parameter kinds: those that the server hosts.
    package init(
        _ journal: any Journal, _ registry: SessionRegistry, _ kinds: [KindRuntime], restore: @escaping Restore
    ) {
        self.journal = journal
        self.registry = registry
        self.kinds = kinds
        self.restore = restore
    }

    private enum Outcome: Sendable {
        case found(SessionRegistry.Lookup)
        /// A session that was not loaded, since no state of it could let the client in that has asked first.
        case foreign(owner: Subject?, kind: String)
    }

    /// Finds a session. This does not count as use of it.
    ///
    /// It takes long to restore a large state. So that this does not tell a client that there is such a session, no session is restored
    /// for a client whom its state could not let in.
    ///
    /// - Parameter client: the credentials of the request.
    /// - Throws: that such a client may not use the session, among others.
    package func load(
        _ id: SessionID, for client: Credentials = .admin
    ) async throws(SessionFailure) -> SessionRegistry.Lookup {
        while true {
            let outcome = try await loads.value(of: id) { (_) async throws(SessionFailure) in
                // Not on the loop of a request: it takes time to replay a long history and to decode a state.
                try await beginTask { await self.outcome(id, for: client) }.value.get()
            }
            switch outcome {
            case .found(let found): return found
            case .foreign(let owner, let kind):
                // If another client has asked first, this one may get further.
                if isClosed(id, of: owner, kind, to: client) { throw .forbidden(.session) }
            }
        }
    }

    /// Whether no state of a session could let a client in.
    private func isClosed(_ id: SessionID, of owner: Subject?, _ kind: String, to client: Credentials) -> Bool {
        guard let subject = client.stranger(to: id), subject != owner else { return false }
        return !(kinds.named(kind).map { client.mayVisit($0.kind) } ?? false)
    }

    private func outcome(_ id: SessionID, for client: Credentials) async -> Result<Outcome, SessionFailure> {
        // Another request may have loaded it since the caller's look.
        if let known = registry.find(id) { return .success(.found(known)) }
        do throws(JournalError) {
            var found = try await journal.load(id.description, for: client.stranger(to: id))
            if case .foreign(let owner, let kind) = found {
                if isClosed(id, of: owner, kind, to: client) { return .success(.foreign(owner: owner, kind: kind)) }
                found = try await journal.load(id.description)
            }
            return .success(.found(await lookup(id, found)))
        } catch {
            guard case .corrupt(let detail, let owner) = error else { return .failure(.unavailable(.storage(error))) }
            return .success(.found(.unreadable(.unavailable(.storage(.corrupt(detail))), owner: owner)))
        }
    }

    private func lookup(_ id: SessionID, _ found: SessionLookup) async -> SessionRegistry.Lookup {
        switch found {
        // It was to be loaded whoever owns it.
        case .unknown, .foreign: return .unknown
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
