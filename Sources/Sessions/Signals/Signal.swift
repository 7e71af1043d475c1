package import Security
import StoreHosting

/// Sends a message to all streams of the session that show signals. It is committed and stored nowhere.
package struct Signal: SessionCommand {
    /// The largest body of a request that sends one, in bytes.
    package static let maxBytes = 4096

    private let type: String
    /// As JSON.
    private let payload: [UInt8]
    private let sender: Credentials
    private let limit: SignalLimit

    package init(_ type: String, _ payload: [UInt8], by sender: Credentials, within limit: SignalLimit) {
        (self.type, self.payload, self.sender, self.limit) = (type, payload, sender, limit)
    }

    package var right: Permission? { .act }
    package var usesStore: Bool { false }
    package var isForPermits: Bool { true }

    package func perform(on session: Session) throws(SessionFailure) -> SessionResult.Content {
        // Its streams are where it is now.
        if session.continuesElsewhere { throw .detached }
        if session.hasEnded { throw .absent(.ended) }
        let actor = sender.actor(in: session) ?? .anonymous
        try limit.admit(actor, to: session.id)
        session.existingEvents?.send(SignalEvent(type: type, payload: payload, actor: actor, at: session.now))
        return .done
    }
}

extension EventHub {
    /// Called for no commit: it comes behind the events of all that was committed before, and behind the end of streams whose permit
    /// was revoked before.
    fileprivate func send(_ signal: SignalEvent) {
        session.release(.signal(deliveries { $0.encode(signal) }), upTo: 0)
    }
}
