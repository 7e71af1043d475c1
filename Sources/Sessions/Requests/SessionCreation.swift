/// A new session that a client wants, as a value. Layers of handlers pass it on.
package struct SessionCreation: Sendable {
    package let kind: KindRuntime
    /// The id that the client has made; nil for a random one.
    package let id: SessionID?
    package let conditions: Preconditions
    package let principal: Credentials
    /// Whose rate it counts for.
    package let client: RateLimits.Client

    package init(
        kind: KindRuntime, id: SessionID?, conditions: Preconditions, principal: Credentials, client: RateLimits.Client
    ) {
        self.kind = kind
        self.id = id
        self.conditions = conditions
        self.principal = principal
        self.client = client
    }
}

/// Handles requests for new sessions, in layers as a ``SessionHandler`` does.
protocol CreationHandler: Sendable {
    func handle(_ creation: SessionCreation) throws(SessionFailure) -> Handling<SessionResult>
}
