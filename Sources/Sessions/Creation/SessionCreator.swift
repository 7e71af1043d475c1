package import JSON
package import Observability
import StoreHosting

/// Creates sessions that requests ask for. May be called on any thread.
package struct SessionCreator: Sendable {
    package let registry: SessionRegistry
    package let builder: SessionBuilder
    package let log: Log

    package init(registry: SessionRegistry, builder: SessionBuilder, log: Log) {
        self.registry = registry
        self.builder = builder
        self.log = log
    }

    /// Creates a session, if there may be one more.
    ///
    /// - Parameters:
    ///   - fork: the initial state, if it is not that of the kind.
    ///   - id: the id of the session.
    ///   - owner: the subject that it belongs to; nil if there is none.
    ///   - isPersonal: whether it is the one that `/sessions/me` names.
    package func create(
        _ kind: KindRuntime, _ fork: Session.Fork? = nil, id: SessionID = .random(), owner: Subject?,
        isPersonal: Bool = false
    ) throws(SessionFailure) -> Session {
        let created = try registry.create(id) { (id, now) throws(SessionFailure) in
            try builder.create(kind, id, now: now, owner: owner, isPersonal: isPersonal, fork: fork)
        }
        guard let session = created else {
            throw .unavailable(.sessions(retryAfter: registry.secondsUntilExpiry))
        }
        log.debug("session created", [.init("session", session.id.fingerprint), .init("store", session.kind.name)])
        return session
    }
}
