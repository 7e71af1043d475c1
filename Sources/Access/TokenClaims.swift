/// What a verified token says: whose it is, what it allows, and until when.
///
/// A class, because each request carries it: one reference is cheap to copy.
package final class TokenClaims: Sendable {
    package let subject: String
    /// When it stops to be valid, with the leeway, in milliseconds since 1970.
    package let expiresAt: Int
    package let permissions: Permissions
    /// The names of the store kinds that the token is limited to; nil for all.
    package let stores: [String]?
    /// The ids of sessions that the token may use although they are not its subject's.
    package let sessions: [String]

    package init(
        subject: String, expiresAt: Int, permissions: Permissions = .allButAdmin, stores: [String]? = nil,
        sessions: [String] = []
    ) {
        self.subject = subject
        self.expiresAt = expiresAt
        self.permissions = permissions
        self.stores = stores
        self.sessions = sessions
    }
}
