import JSON
package import Security
import StoreHosting
package import Stores
import Threads

/// Decides whose session a request is for, and so who decides whether it may use it: the owner's token and a token that lists the
/// session may, a share is a right of its own, and for the others the state of the session decides. They are its visitors.
///
/// This layer needs no state. What a visitor may do is asked in one step with what it does: by the store for actions, by
/// ``SessionService`` for all else, and by ``EventHub`` for streams.
struct Authorization<Next: SessionHandler>: SessionHandler {
    let next: Next

    @inline(__always)
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult> {
        guard case .token(let claims) = request.principal, claims.subject != session.owner else {
            return try next.handle(request, session)
        }
        return try handle(request, of: claims, session)
    }

    @inline(never)
    private func handle(
        _ request: SessionRequest, of claims: TokenClaims, _ session: Session
    ) throws(SessionFailure) -> Handling<SessionResult> {
        var request = request
        request.visitor = try request.principal.visitor(of: session)
        if case .dispatch(let action) = request.operation, var key = action.key {
            // The owner's keys stay as they are: those of earlier releases are on record.
            key.belongs(to: claims.actor)
            request.operation = .dispatch(action.with(key: key))
        }
        return try next.handle(request, session)
    }
}

extension Credentials {
    /// The actor, if the state of a session decides what it may do; nil for those who may use it whatever its state is.
    ///
    /// - Throws: if the credentials give no way to the session.
    package func visitor(of session: Session) throws(SessionFailure) -> Actor? {
        guard case .token(let claims) = self else { return nil }
        if claims.subject == session.owner || lists(session.id) {
            try require(store: session.kindName)
            return nil
        }
        guard mayVisit(session.kind) else { throw .forbidden(.session) }
        return claims.actor
    }

    /// The subject that may use a session without the leave of its state only if it owns the session; nil if it may whoever owns it.
    func stranger(to id: SessionID) -> Subject? {
        guard case .token(let claims) = self, !lists(id) else { return nil }
        return claims.subject
    }

    /// Whether the state of a session of this kind, which somebody else owns, may let them in.
    func mayVisit(_ kind: StoreKind) -> Bool {
        guard case .token(let claims) = self else { return true }
        return kind.hasAccess && claims.stores?.contains(Subject(kind.name)) ?? true
    }
}

extension SessionChain {
    /// Asks whether a visitor may use a session: before anything else of its request is looked at, since each other refusal would tell
    /// that there is such a session. The request is asked again in the step in which it uses the session.
    ///
    /// - Returns: why the visitor may not use it; nil if it may.
    package func refusal(
        of visitor: Actor, at session: Session, for right: Permission
    ) throws(SessionFailure) -> Handling<SessionFailure?> {
        try pool.asking(session) { () in
            guard case .failure(let refusal) = session.ask(visitor, for: right, { _ in }) else { return .now(nil) }
            // The commit that took the right away may not be durable yet.
            return session.release(refusal, upTo: 0)
        }
    }

    /// The answer to an action of a visitor who may not act any more: that which its first request with the same key got, if it showed no
    /// state; nil for none.
    ///
    /// So whoever leaves a session learns that it has left, also if the first answer was lost. The record is the actor's own.
    package func replay(
        _ action: ActionRequest, of visitor: Actor, to session: Session
    ) -> Handling<SessionResult>? {
        guard var key = action.key, !action.isDryRun, let json = action.json else { return nil }
        key.belongs(to: visitor)
        let fingerprint = RequestFingerprint(action.body, json, redacted: session.kind.redacted(json))
        let now = session.runtime.clock.expiryTime()
        // A whole message has a state.
        guard let record = session.cache.load()?.find(key.text, fingerprint, now: now),
            let response = ActionResponse(encoded: record.response), response.selection == nil
        else { return nil }
        if case .rejected = response.outcome { return nil }
        let answer = ActionAnswer.Other(
            response: response, state: nil, hidesEffects: action.hidesEffects, isReplayed: true)
        let result = SessionResult(.action(.other(answer)), of: session, at: response.revision)
        return session.release(result, upTo: response.revision)
    }
}
