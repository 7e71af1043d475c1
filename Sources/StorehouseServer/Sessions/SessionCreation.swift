/// A new session that a client wants, as a value. Layers of handlers pass it on.
struct SessionCreation: Sendable {
    let kind: KindRuntime
    /// The id that the client has made; nil for a random one.
    let id: SessionID?
    let conditions: Preconditions
    let principal: Credentials
    /// Whose rate it counts for.
    let client: RateLimits.Client
}

/// Handles requests for new sessions, in layers as a ``SessionHandler`` does.
protocol CreationHandler: Sendable {
    func handle(_ creation: SessionCreation) throws(SessionFailure) -> Handling<SessionResult>
}
