package import JSON

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

    package init(
        subject: Subject, expiresAt: Int, permissions: Permissions = .allButAdmin, stores: [Subject]? = nil,
        sessions: [Subject] = []
    ) {
        self.subject = subject
        self.expiresAt = expiresAt
        self.permissions = permissions
        self.stores = stores
        self.sessions = sessions
    }
}
