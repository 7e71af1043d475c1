package import Security
package import StoreHosting
import Stores
import Synchronization

/// The right to use a part of one session for some time, which can be revoked.
package protocol Permit: AnyObject, Sendable {
    var session: SessionID { get }
    /// In milliseconds since 1970.
    var expiresAt: Int { get }

    /// Its terms, if it may be used now; nil if it may not. That can change while a request waits.
    func terms(in session: Session) -> PermitTerms?

    /// Whether it is one of those that were in force when its session ended.
    func isAmong(_ permits: FinalPermits) -> Bool

    /// The operation on the part of the state that it shows.
    func narrow(_ operation: SessionOperation, of session: Session) throws(SessionFailure) -> SessionOperation
}

extension Permit {
    /// Whether it may be used now.
    package func isValid(in session: Session) -> Bool { terms(in: session) != nil }

    /// Requires that it may be used now, and allows something.
    package func require(_ permission: Permission, in session: Session) throws(SessionFailure) {
        guard let terms = terms(in: session) else { throw .permit(.unknown) }
        guard terms.permissions.contains(permission) else { throw .forbidden(.permit(lacks: permission)) }
    }
}

extension AccessRights {
    /// A visitor's permits live as long as the visitor has this right.
    static let ofMakers = share
}

/// A command that changes the permits of a session.
package protocol PermitCommand: SessionCommand {
    /// Whether it may take a permit away.
    var isRevocation: Bool { get }
}

/// Revokes permits of a session. Their waits and streams end once that is durable.
package struct PermitRevocation: PermitCommand {
    /// That of the one permit; nil for all.
    private let id: String?

    /// - Parameter id: that of the one permit; nil for all.
    package init(of id: String? = nil) { self.id = id }
    package var right: Permission? { .share }
    package var usesStore: Bool { false }
    package var isRevocation: Bool { true }

    package func perform(on session: Session) -> SessionResult.Content {
        guard let id else {
            let (generation, ids) = session.permits.revokeAll()
            session.journal?.record(.revokedAll(generation: generation, ids))
            session.existingEvents?.endRevoked()
            return .done
        }
        guard session.permits.revoke(id) else { return .refused(.permit(.unknownID)) }
        session.journal?.record(.revoked([id]))
        session.existingEvents?.endRevoked()
        return .done
    }
}

/// One action by a permit. While it is in the store, whoever revokes the permit waits for the store: either the action is committed before
/// the revocation is answered, or never.
final class PermitUse: Sendable {
    private let permit: any Permit
    private let session: Session
    private let isInside = Atomic(false)

    init(_ permit: any Permit, _ session: Session) { (self.permit, self.session) = (permit, session) }

    /// Called inside the store, before the action is reduced and, if others may come meanwhile, before it is committed.
    func isWithdrawn() -> Bool {
        if !isInside.exchange(true, ordering: .relaxed) { session.permits.beginUse() }
        return !permit.isValid(in: session)
    }

    /// The action is done.
    func end() {
        if isInside.exchange(false, ordering: .relaxed) { session.permits.endUse() }
    }
}

/// Waits until the store has done what it does now.
struct StorePassage: SessionCommand {
    var right: Permission? { nil }
    var usesStore: Bool { true }

    func perform(on session: Session) -> SessionResult.Content {
        session.store.inspect { _ in }
        return .done
    }
}
