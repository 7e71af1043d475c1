import Security
import StoreHosting

/// The right to use a part of one session for some time, without knowing its id.
///
/// The client has it as a sealed text. The server stores nothing but how often the shares of a session were revoked.
final class Share: Sendable {
    /// The permissions that a share can have.
    static let permissions: [Permission] = [.read, .act]
    /// How long it is valid, in seconds.
    static let lifetimes = 1...2_592_000
    static let usualLifetime = 3600

    let session: SessionID
    let permissions: Permissions
    /// The part of the state that it shows.
    let selection: Selection
    /// In milliseconds since 1970.
    let expiresAt: Int
    /// How often the shares of the session had been revoked when it was made.
    let generation: Int
    /// Tells it from other shares. Nobody can use it by this.
    let name: String

    init(
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
    func isValid(in session: Session) -> Bool {
        generation == session.shareGeneration && expiresAt > session.now
    }
}
