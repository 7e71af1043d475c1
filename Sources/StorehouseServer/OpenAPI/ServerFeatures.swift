/// How a server describes itself: what it has, beside its kinds of store.
struct ServerFeatures: Sendable {
    let defaultStore: String
    let basePath: String
    let hasInspector: Bool
    /// Whether `/client.js` is the client for browsers.
    let hasClient: Bool
    /// Whether the resources of operators are on a listener of their own, which the OpenAPI document does not describe.
    let hasOperatorPort: Bool
    /// Whether it is in token mode.
    let usesTokens: Bool
}
