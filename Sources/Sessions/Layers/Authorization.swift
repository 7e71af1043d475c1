import JSON
package import Security
import StoreHosting
package import Stores

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
        guard session.kind.hasAccess, claims.stores?.contains(Subject(session.kindName)) ?? true else {
            throw .forbidden(.session)
        }
        return claims.actor
    }
}

extension SessionChain {
    /// Asks whether a visitor may use a session: before anything else of its request is looked at, since each other refusal would tell
    /// that there is such a session. The request is asked again in the step in which it uses the session.
    package func admit(
        _ visitor: Actor, to session: Session, for right: Permission
    ) throws(SessionFailure) -> Handling<Void> {
        try pool.asking(session) { () throws(SessionFailure) in try Self.admitted(visitor, to: session, for: right) }
    }

    private static func admitted(
        _ visitor: Actor, to session: Session, for right: Permission
    ) throws(SessionFailure) -> Handling<Void> {
        let failure: SessionFailure
        switch session.ask(visitor, for: right, { _ in }) {
        case .success: return .now(())
        case .failure(let refusal): failure = refusal
        }
        // The commit that took the right away may not be durable yet.
        let hold = session.release((), upTo: 0)
        if case .now = hold { throw failure }
        return .later { () async throws(SessionFailure) in
            try await hold.value()
            throw failure
        }
    }
}
