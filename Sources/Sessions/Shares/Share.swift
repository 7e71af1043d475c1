import JSON
package import Security
package import StoreHosting

/// A permit that a client carries as a sealed text, so that it can use a part of a session without knowing its id.
///
/// The server stores nothing of it but how often the permits of the session were revoked.
package final class Share: Permit {
    /// The permissions that a share can have.
    package static let permissions: [Permission] = [.read, .act, .presence]
    /// How long it is valid, in seconds.
    package static let lifetimes = 1...2_592_000
    package static let usualLifetime = 3600

    package let session: SessionID
    package let permissions: Permissions
    /// The part of the state that it shows.
    package let selection: Selection
    /// In milliseconds since 1970.
    package let expiresAt: Int
    /// How often the shares of the session had been revoked when it was made.
    package let generation: Int
    /// Tells it from other shares. Nobody can use it by this.
    package let name: String

    package init(
        _ session: SessionID, _ permissions: Permissions, _ selection: Selection, expiresAt: Int, generation: Int,
        name: String = ""
    ) {
        self.session = session
        self.permissions = permissions
        self.selection = selection
        self.expiresAt = expiresAt
        self.generation = generation
        self.name = name
    }

    /// Whether it may be used now: it has not expired, and the shares of its session were not revoked since it was made.
    package func isValid(in session: Session) -> Bool {
        generation == session.permits.current && expiresAt > session.now
    }
}

extension Share {
    package func narrow(_ operation: SessionOperation) throws(SessionFailure) -> SessionOperation {
        switch operation {
        case .read(var reading):
            reading.selection = try narrow(reading.selection)
            return .read(reading)
        case .subscribe(var wanted):
            wanted.selection = try narrow(wanted.selection)
            wanted.isByPermit = true
            return .subscribe(wanted)
        case .dispatch(let action):
            var key = action.key
            // Another client of the session may use the same key, and see more in its answers.
            key?.belongs(to: name)
            let selection = try action.selection.map(narrow)
            return .dispatch(action.with(selection: selection, key: key, hidesEffects: true))
        case .perform(let command) where command.isForPermits: return operation
        case .describe, .log, .fork, .end, .recall, .perform: throw .permit(.unknown)
        }
    }

    /// The selection within what the share shows.
    private func narrow(_ text: SelectionText) throws(SessionFailure) -> SelectionText {
        if selection == .root { return text }
        guard case .text(let text) = text else { throw .permit(.unknown) }
        // Selectors of the kind would show more than the share.
        do throws(JSONPointerError) {
            return .resolved(selection.appending(try JSONPointer(text)))
        } catch {
            throw .selection(.pointerIntoPart(error))
        }
    }
}

/// Makes a share.
package struct ShareCreation: SessionCommand {
    package let permissions: Permissions
    package let selection: SelectionText
    /// In seconds.
    package let lifetime: Int
    /// By which it expires.
    package let clock: WallClock

    package init(permissions: Permissions, selection: SelectionText, lifetime: Int, clock: WallClock) {
        self.permissions = permissions
        self.selection = selection
        self.lifetime = lifetime
        self.clock = clock
    }

    package var usesStore: Bool { false }

    package func perform(on session: Session) throws(SessionFailure) -> SessionResult.Content {
        .permit(
            Share(
                session.id, permissions, try selection.selection(of: session.kind),
                expiresAt: clock.now() + lifetime * 1000, generation: session.permits.current))
    }
}
