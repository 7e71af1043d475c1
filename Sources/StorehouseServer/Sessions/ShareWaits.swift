import Locks

/// The actions of one session that came by shares and wait for effects. The wait of an action ends when its share is revoked.
final class ShareWaits: Sendable {
    // Guards the waits by their responders. Nothing is called while it is held.
    private let waits = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])

    /// - Parameter revoked: is called whenever shares of the session were revoked, perhaps not that of this responder.
    func add(_ responder: ActionResponder, revoked: @escaping @Sendable () -> Void) {
        waits.withLock { $0[ObjectIdentifier(responder)] = revoked }
    }

    func remove(_ responder: ActionResponder) {
        let removed = waits.withLock { $0.removeValue(forKey: ObjectIdentifier(responder)) }
        withExtendedLifetime(removed) {}
    }

    /// Shares of the session were revoked.
    func endRevoked() {
        for revoked in waits.withLock({ Array($0.values) }) { revoked() }
    }
}

extension Session {
    /// The waits through its shares; made with the first.
    var shareWaits: ShareWaits { streams.load(orStore: SessionStreams()).shareWaits.load(orStore: ShareWaits()) }

    /// The same; nil if none has begun yet.
    var existingShareWaits: ShareWaits? { streams.load()?.shareWaits.load() }
}
