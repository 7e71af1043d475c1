import JSON
import StoreHosting
import Stores
import Threads

// The end of sessions in memory.
extension SessionRegistry {
    /// Ends a session, and waits until that is durable or is known not to be.
    ///
    /// - Parameter event: how the metrics count it.
    package func end(_ session: Session, as event: SessionEvent = .ended) async -> EndResult {
        let now = clock.now()
        if let result = beginEnd(of: session, as: event, now, session.end(at: now)) { return result }
        return await completeEnd(of: session, now)
    }

    /// Ends a session unless a condition fails, and waits as ``end(_:as:)`` does.
    ///
    /// - Parameter refuse: why the newest state does not allow the end; nil if it does. No commit comes between its answer and the end.
    func end(
        _ session: Session, unless refuse: @Sendable (borrowing StateView) -> SessionFailure?
    ) async -> EndResult {
        let now = clock.now()
        var refusal: EndResult?
        let instruction = session.end(at: now) { state in
            refusal = refuse(state).map { .refused($0, at: state.revision) }
            return refusal == nil
        }
        guard let instruction else {
            // A session that has left this object may be in another state by now, which has to be asked.
            return session.continuesElsewhere ? .detached : refusal ?? .detached
        }
        if let result = beginEnd(of: session, as: .ended, now, instruction) { return result }
        return await completeEnd(of: session, now)
    }

    /// Ends a session that has expired. Its end is durable later.
    func endExpired(_ session: Session, _ now: Int) {
        if beginEnd(of: session, as: .expired, now, session.end(at: now)) != nil { return }
        beginTask { [self] in await completeEnd(of: session, now) }
    }

    /// - Returns: nil if the rest is up to ``completeEnd(of:_:)``.
    private func beginEnd(
        of session: Session, as event: SessionEvent, _ now: Int, _ instruction: SessionLifecycle.EndInstruction
    ) -> EndResult? {
        switch instruction {
        case .lookUpAgain: return .detached
        case .end:
            events.add(to: event)
            if event == .expired { expirations.add(policy.expiryCause(isUsed: session.isUsed), of: session.kind.name) }
        case .alreadyEnded: break
        }
        if case .now = session.release((), upTo: 0) {
            // Before it is removed, so that no lookup in between finds the id unknown.
            tombstones.add(session.id, now: now, owner: session.owner, permits: session.permits.atEnd)
            remove(session)
            return .ended
        }
        // Until the end is durable, the journal answers lookups: it may yet have the session.
        tombstones.begin(session.id)
        remove(session)
        return nil
    }

    private func completeEnd(of session: Session, _ now: Int) async -> EndResult {
        do throws(SessionFailure) {
            try await session.release((), upTo: 0).value()
        } catch {
            tombstones.cancel(session.id)
            return .failed(error)
        }
        tombstones.add(session.id, now: now, owner: session.owner, permits: session.permits.atEnd)
        return .ended
    }

    /// Whether a permit was in force when its session ended. True if that is not known.
    package func wasInForce(_ permit: any Permit) async throws(SessionFailure) -> Bool {
        var permits = tombstones.permits(of: permit.session)
        do throws(JournalError) {
            if permits == nil { permits = try await journal?.permits(ofEnded: permit.session.description) }
        } catch {
            throw .unavailable(.storage(error))
        }
        return permits.map(permit.isAmong) ?? true
    }
}
