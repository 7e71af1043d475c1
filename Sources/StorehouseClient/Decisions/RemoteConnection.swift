/// How a store is connected to its session.
public struct RemoteConnection: Sendable, Hashable {
    /// The states of a connection.
    public enum Status: Sendable, Hashable {
        /// Not connected yet.
        case connecting
        /// The confirmed state is that of the server.
        case live
        /// Lost for less than 5 seconds, which is not worth a banner.
        case reconnecting
        /// Lost for longer, or the system has no network. It is tried again without end.
        case offline
        /// The server refuses the token, and there is no other one.
        case unauthorized
        /// For good: `session-ended`, `revoked`, `forbidden`, `not-found`, `refused`, or `closed` by the program.
        case ended(String)
    }

    /// The state of the connection.
    public internal(set) var status: Status
    /// When the connection was lost, in milliseconds since 1970; nil if it is live, or was never lost.
    public internal(set) var since: Int?

    /// Whether the state may be an old one.
    public var isStale: Bool { status != .live }
}
