/// The session that a request names.
package enum SessionTarget: Sendable {
    case id(SessionID)
    case personal(PersonalSessions.Request)

    /// Nil for a session that the client does not name by its id.
    package var sessionID: SessionID? { if case .id(let id) = self { id } else { nil } }
}
