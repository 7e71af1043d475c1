import Security
import StoreHosting
import Stores

// The entries of a client.
extension SessionService {
    /// Runs entries one after the other. A refused one does not stop the next.
    func run(
        _ run: EntryRun, by principal: Credentials, for visitor: Actor?
    ) throws(SessionFailure) -> Handling<SessionResult> {
        while let action = run.next() {
            do throws(SessionFailure) {
                let handling = try dispatch(action, to: run.session, by: principal, isOfVisitor: visitor != nil)
                guard case .now(let result) = handling else {
                    return .later { () async throws(SessionFailure) in
                        do throws(SessionFailure) {
                            try run.take(try await handling.value())
                        } catch {
                            try run.take(error)
                        }
                        // The next one may take its time.
                        run.session.store.inspect { run.session.existingEvents?.announce(run.client, $0) }
                        return try await self.run(run, by: principal, for: visitor).value()
                    }
                }
                try run.take(result)
            } catch {
                try run.take(error)
            }
        }
        return .now(try end(run, for: visitor))
    }

    private func end(_ run: EntryRun, for visitor: Actor?) throws(SessionFailure) -> SessionResult {
        let session = run.session
        var (revision, answer) = (0, Result<SyncAnswer, SessionFailure>.failure(.forbidden(.session)))
        let end = { (state: borrowing StateView) in
            revision = state.revision
            answer = Result { () throws(SessionFailure) in try run.end(in: state) }
            if run.hasDecided { session.existingEvents?.announce(run.client, state) }
        }
        if let visitor, !run.hasDecided {
            if case .failure(let refusal) = session.ask(visitor, for: .act, end) { answer = .failure(refusal) }
        } else {
            session.store.inspect(end)
        }
        switch answer {
        case .success(let answer):
            return SessionResult(.synced(answer), of: session, at: revision, committedAt: run.committedAt)
        case .failure(.detached): throw .detached
        case .failure(let failure): return SessionResult(.refused(failure), of: session, at: revision)
        }
    }
}
