package import Security

/// Lists the clients that watch the session.
package struct PresenceReading: SessionCommand {
    package init() {
    }
    package var right: Permission? { .read }
    package var usesStore: Bool { false }
    package var isForPermits: Bool { true }

    package func perform(on session: Session) -> SessionResult.Content {
        .present(session.existingEvents?.presence() ?? PresenceList())
    }
}
