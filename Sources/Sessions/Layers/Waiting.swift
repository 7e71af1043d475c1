import Locks
import StoreHosting

/// Holds the answer to an action until its effects have settled, if the client waits for them (RFC 7240, section 4.3).
struct Waiting<Next: SessionHandler>: SessionHandler {
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        let handling = try next.handle(request, session)
        guard case .dispatch(let action) = request.operation, let wait = action.wait else { return handling }
        return hold(handling, action, wait, request, session)
    }

    @inline(never)
    private func hold(
        _ handling: Handling<SessionResult>, _ action: ActionRequest, _ wait: ActionRequest.Wait,
        _ request: SessionRequest, _ session: Session
    ) -> Handling<SessionResult> {
        .later { () async throws(SessionFailure) in
            let own = try await handling.value()
            guard case .action(let answer) = own.content, let result = answer.awaited, result.hasFollowUps else {
                return own
            }
            let end = await end(of: result, wait, request, session)
            return await newest(own, answer, action, end, request, session)
        }
    }

    /// The first of: the effects have settled, the client has waited long enough, it may no longer read.
    private func end(
        of result: DispatchResult, _ wait: ActionRequest.Wait, _ request: SessionRequest, _ session: Session
    ) async -> EndOfWait {
        let end = Promise<EndOfWait>()
        // How long the client may still read.
        let rest = request.principal.expiresAt.map { Duration.milliseconds(max(0, $0 - session.now)) }
        if let rest, rest < wait.limit {
            wait.timer.schedule(after: rest) { end.fulfill(.forbidden) }
        } else {
            wait.timer.schedule(after: wait.limit) { end.fulfill(.time) }
        }
        let revocation = request.permit.map { permit in
            let wait = WaitByPermit(permit, session, end)
            // It may have been revoked before.
            defer { wait.permitsWereRevoked() }
            return session.permitWaits.add(wait)
        }
        // Effects of a session that leaves this process are cancelled, and have not settled.
        result.whenSettled { end.fulfill(session.continuesElsewhere ? .time : .settled) }
        defer { if let revocation { session.permitWaits.remove(revocation) } }
        return await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            // The client has left, and took its timer along.
            end.fulfill(.time)
        }
    }

    /// The answer with the newest state, or with the action's own commit if the client may not see more, or if what came later is
    /// lost: a refusal would say that nothing was committed.
    private func newest(
        _ own: SessionResult, _ answer: ActionAnswer, _ action: ActionRequest, _ end: EndOfWait,
        _ request: SessionRequest,
        _ session: Session
    ) async -> SessionResult {
        guard end != .forbidden, request.principal.expiresAt.map({ $0 > session.now }) ?? true else { return own }
        do throws(SessionFailure) {
            let question = request.with(.recall(action.selection, revision: nil))
            let shown = try await next.handle(question, session).value()
            if case .refused(.forbidden) = shown.content { return own.withoutState(isSettled: end == .settled) }
            guard case .state(let state) = shown.content, request.permit?.isValid(in: session) ?? true else {
                return own
            }
            let json = action.selection == nil ? nil : state.json
            return SessionResult(
                .action(answer.with(json, at: state.revision, isSettled: end == .settled)), of: session,
                at: state.revision)
        } catch {
            return own
        }
    }
}

extension SessionResult {
    /// The answer to an action for an actor who may not read any more.
    fileprivate func withoutState(isSettled: Bool) -> SessionResult {
        guard case .action(let answer) = content else { return self }
        var result = self
        result.content = .action(answer.with(nil, at: answer.response.revision, isSettled: isSettled))
        return result
    }
}

/// Why the wait of a client is over.
private enum EndOfWait {
    case settled
    /// The client has waited long enough, or has left, or the session has.
    case time
    /// The client may no longer read.
    case forbidden
}

private final class WaitByPermit: PermitWait {
    private let permit: any Permit
    private let session: Session
    private let end: Promise<EndOfWait>

    init(_ permit: any Permit, _ session: Session, _ end: Promise<EndOfWait>) {
        (self.permit, self.session, self.end) = (permit, session, end)
    }

    func permitsWereRevoked() {
        if !permit.isValid(in: session) { end.fulfill(.forbidden) }
    }
}
