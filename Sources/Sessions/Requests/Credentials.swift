package import JSON
package import Security
package import Stores

/// The verified credentials of a request, and the permissions that they give.
///
/// Every access to a session checks them; see ``SessionAccess``.
package enum Credentials: Sendable {
    /// In capability mode: whoever knows a session's id may use it.
    case capability
    /// A verified token.
    case token(TokenClaims)
    /// A right to a part of one session, which is not known to be revoked.
    case permit(any Permit)
    /// The admin token.
    case admin

    /// Whether they are those of an operator, who looks at a session without using it.
    package var areOfOperator: Bool { if case .admin = self { true } else { false } }

    /// The owner of the sessions that are created with these credentials.
    package var subject: Subject? {
        if case .token(let claims) = self { claims.subject } else { nil }
    }

    /// The sender of an action with these credentials; nil for an anonymous one of a session without an owner, whose clients are all
    /// anonymous unless they have tokens.
    package func actor(in session: Session) -> Actor? {
        switch self {
        case .token(let claims): claims.actor
        case .permit(let permit): permit.terms(in: session)?.holder ?? (session.owner == nil ? nil : .anonymous)
        case .capability, .admin: session.owner == nil ? nil : .anonymous
        }
    }

    /// When they stop to be valid, in milliseconds since 1970; nil for never.
    package var expiresAt: Int? {
        switch self {
        case .token(let claims): claims.expiresAt
        case .permit(let permit): permit.expiresAt
        case .capability, .admin: nil
        }
    }

    package func require(_ permission: Permission) throws(SessionFailure) {
        switch self {
        case .capability, .admin: return
        case .token(let claims):
            // Whoever may read sees who else does.
            let permission = permission == .presence ? .read : permission
            guard !claims.permissions.contains(permission) else { return }
            throw SessionFailure.forbidden(.token(lacks: permission))
        // Its terms are those of its session.
        case .permit: throw SessionFailure.permit(.unknown)
        }
    }

    /// Requires that sessions of a kind may be used.
    package func require(store: String) throws(SessionFailure) {
        guard case .token(let claims) = self, let stores = claims.stores, !stores.contains(Subject(store)) else {
            return
        }
        throw SessionFailure.forbidden(.store)
    }

    /// Requires that sessions of every kind may be used.
    package func requireAllStores() throws(SessionFailure) {
        guard case .token(let claims) = self, claims.stores != nil else { return }
        throw SessionFailure.forbidden(.allStores)
    }

    /// Requires that the credentials may learn that there was a session. To everybody else the id of somebody else's session
    /// looks like one that never existed.
    ///
    /// - Parameter owner: the subject that the session belonged to; nil if that is not known.
    package func require(ended id: SessionID, ownedBy owner: Subject?) throws(SessionFailure) {
        guard case .token(let claims) = self, let owner, owner != claims.subject, !lists(id) else { return }
        throw SessionFailure.forbidden(.session)
    }

    /// Requires that the credentials may learn that there is no session, or that it cannot be read.
    ///
    /// - Parameter owner: the subject that the session belongs to; nil if that is not known.
    package func require(unknown id: SessionID, ownedBy owner: Subject? = nil) throws(SessionFailure) {
        guard case .token(let claims) = self, owner != claims.subject, !lists(id) else { return }
        throw SessionFailure.forbidden(.session)
    }

    func lists(_ id: SessionID) -> Bool {
        guard case .token(let claims) = self, !claims.sessions.isEmpty else { return false }
        return claims.sessions.contains(Subject(id.description))
    }
}
