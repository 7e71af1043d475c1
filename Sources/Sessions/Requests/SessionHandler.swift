/// Handles requests to a session that is in memory.
///
/// Each layer is one concern: it changes the request or the result, refuses, or passes on to the next. The last is
/// ``SessionService``.
package protocol SessionHandler: Sendable {
    func handle(_ request: SessionRequest, _ session: Session) throws(SessionFailure) -> Handling<SessionResult>
}
