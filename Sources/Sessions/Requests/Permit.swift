package import Security
import StoreHosting

/// The right to use a part of one session for some time, which can be revoked.
package protocol Permit: AnyObject, Sendable {
    var session: SessionID { get }
    var permissions: Permissions { get }
    /// In milliseconds since 1970.
    var expiresAt: Int { get }

    /// Whether it may be used now. That can end while a request waits.
    func isValid(in session: Session) -> Bool

    /// The operation on the part of the state that it shows.
    func narrow(_ operation: SessionOperation) throws(SessionFailure) -> SessionOperation
}

/// Revokes all permits of a session. Their waits and streams end once that is durable.
package struct PermitRevocation: SessionCommand {

    package init() {
    }
    package var right: Permission? { .share }
    package var usesStore: Bool { false }

    package func perform(on session: Session) -> SessionResult.Content {
        let generation = session.permits.advance()
        session.journal?.recordShareGeneration(generation)
        return .done
    }
}
