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

    /// The document of a session in memory for a list, with the size of its state.
    package func document(of session: Session, _ sizes: inout StateSizes) -> SessionDocument {
        document(of: session, revision: session.store.revision, sizes.extent(of: session))
    }

    /// The document of a stored session for a list, with the size of its state if that is known.
    package func document(of summary: SessionSummary, _ sizes: inout StateSizes) -> SessionDocument {
        document(of: summary) { $0.map { sizes.extent(of: $0) } ?? sizes.extent(of: summary) }
    }

    /// The document of a stored session. The streams and effects are those of the session in memory, if it is there; the
    /// revision is the stored one, because a newer one is not durable yet.
    ///
    /// - Parameter extent: gets the session in memory, or nil.
    package func document(
        of summary: SessionSummary, _ extent: (Session?) -> SessionDocument.Extent? = { _ in nil }
    ) -> SessionDocument {
        if let id = SessionID(summary.header.id.utf8), let session = resident(id) {
            return document(of: session, revision: summary.revision, extent(session))
        }
        return SessionDocument(
            hibernated: summary, basePath: basePath, createdAt: clock.shown(summary.header.createdAt),
            lastActiveAt: clock.shown(summary.lastActiveAt),
            expiresAt: shown(expiry: expires(summary)), extent: extent(nil))
    }

    /// Nil for a session that never expires.
    private func shown(expiry moment: Int) -> Int? { moment < SessionPolicy.never ? clock.shown(moment) : nil }
}

/// Measures the states of the sessions of a page, as long as they are not too large together.
///
/// Only whoever lists sessions pays for it. To read a stored state would cost more than its document, so its size is known only if it is
/// the initial one.
package struct StateSizes {
    /// How many bytes of states are encoded for a page at most, and one state more.
    private var rest = 16 << 20

    package init() {}

    mutating func extent(of session: Session) -> SessionDocument.Extent? {
        guard rest > 0 else { return nil }
        let count = session.store.read().json.count
        rest -= count
        return SessionDocument.Extent(stateBytes: count, oldestRevision: nil)
    }

    func extent(of summary: SessionSummary) -> SessionDocument.Extent? {
        guard summary.revision == 0 else { return nil }
        return SessionDocument.Extent(stateBytes: summary.header.initial.json.count, oldestRevision: nil)
    }
}

extension SessionSummary {
    /// Whether anything was done on the session since it was created.
    package var isUsed: Bool { revision > 0 || lastActiveAt > header.createdAt }
}
