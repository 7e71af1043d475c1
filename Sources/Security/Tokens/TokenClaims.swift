package import JSON
package import Stores

/// The claims of a verified token: its subject, its permissions, and its expiry.
///
/// A class, because each request carries it: one reference is cheap to copy.
package final class TokenClaims: Sendable {
    package let subject: Subject
    /// When it stops to be valid, with the leeway, in milliseconds since 1970.
    package let expiresAt: Int
    package let permissions: Permissions
    /// The names of the store kinds that the token is limited to; nil for all.
    package let stores: [Subject]?
    /// The ids of sessions that the token may use although they are not its subject's.
    package let sessions: [Subject]
    /// The subject as the sender of actions.
    package let actor: Actor

    /// - Parameters:
    ///   - name: the name of the subject for people to read; nil if there is none.
    ///   - roles: the roles of the subject.
    package init(
        subject: Subject, expiresAt: Int, permissions: Permissions = .allButAdmin, stores: [Subject]? = nil,
        sessions: [Subject] = [], name: String? = nil, roles: [String] = []
    ) {
        self.subject = subject
        self.expiresAt = expiresAt
        self.permissions = permissions
        self.stores = stores
        self.sessions = sessions
        actor = .user(ActorID(subject.text), name: name, roles: roles)
    }
}
