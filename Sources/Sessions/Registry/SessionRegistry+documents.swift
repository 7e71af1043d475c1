package import StoreHosting

// The session as clients see it.
extension SessionRegistry {
    /// - Parameters:
    ///   - extent: nil for a document in a list.
    ///   - state: nil for a document without the state.
    ///   - replay: the actions that were sent again to a new fork.
    package func document(
        of session: Session, revision: Int, _ extent: SessionDocument.Extent? = nil, state: [UInt8]? = nil,
        replay: [ReplayedAction]? = nil
    ) -> SessionDocument {
        SessionDocument(
            session: session, revision: revision, basePath: basePath, node: node,
            createdAt: clock.shown(session.createdAt), lastActiveAt: clock.shown(session.lastActiveAt),
            expiresAt: shown(expiry: session.expires(policy, now: clock.now())), extent: extent, state: state,
            replay: replay)
    }

    /// The document of a stored session. The streams and effects are those of the session in memory, if it is there; the
    /// revision is the stored one, because a newer one is not durable yet.
    package func document(of summary: SessionSummary) -> SessionDocument {
        if let id = SessionID(summary.header.id.utf8), let session = resident(id) {
            return document(of: session, revision: summary.revision)
        }
        return SessionDocument(
            hibernated: summary, basePath: basePath, createdAt: clock.shown(summary.header.createdAt),
            lastActiveAt: clock.shown(summary.lastActiveAt),
            expiresAt: shown(expiry: expires(summary)))
    }

    /// Nil for a session that never expires.
    private func shown(expiry moment: Int) -> Int? { moment < SessionPolicy.never ? clock.shown(moment) : nil }
}

extension SessionSummary {
    /// Whether anything was done on the session since it was created.
    package var isUsed: Bool { revision > 0 || lastActiveAt > header.createdAt }
}
