/// The resources that there are: where each stands and what may be done there.
///
/// Routing, the Allow field and the OpenAPI document all go by it.
package enum Route: String, Sendable, CaseIterable {
    case index, stores, openAPI
    case liveness, readiness
    case sessions, session, state, actions, events, forks
    case adminSessions, metrics
    /// The server as a whole: `OPTIONS *`.
    case server

    /// The path, in which `{id}` stands for a session's id.
    package var path: String {
        switch self {
        case .index: "/"
        case .stores: "/stores"
        case .openAPI: "/openapi.json"
        case .liveness: "/healthz"
        case .readiness: "/readyz"
        case .sessions: "/sessions"
        case .session: "/sessions/{id}"
        case .state: "/sessions/{id}/state"
        case .actions: "/sessions/{id}/actions"
        case .events: "/sessions/{id}/events"
        case .forks: "/sessions/{id}/forks"
        case .adminSessions: "/admin/sessions"
        case .metrics: "/metrics"
        case .server: "*"
        }
    }

    /// The methods that it takes, as the Allow field lists them.
    package var allow: String {
        switch self {
        case .index, .stores, .openAPI, .liveness, .readiness, .state, .adminSessions, .metrics: "GET, HEAD, OPTIONS"
        case .sessions, .forks: "POST, OPTIONS"
        case .actions: "GET, HEAD, POST, OPTIONS"
        case .session: "GET, HEAD, DELETE, OPTIONS"
        case .events: "GET, OPTIONS"
        case .server: "OPTIONS"
        }
    }

    /// Whether GET and HEAD answer with a document.
    var isReadable: Bool {
        switch self {
        case .index, .stores, .openAPI, .liveness, .readiness, .session, .state, .actions, .adminSessions, .metrics:
            true
        case .sessions, .events, .forks, .server: false
        }
    }
}
