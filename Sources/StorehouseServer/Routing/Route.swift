package import HTTP
import StoreHosting
import Stores

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

// What a query may ask for.
extension Route {
    /// The parameters that a method goes by here.
    package func parameters(of method: HTTPMethod) -> [String] {
        switch (self, method) {
        case (.state, .get), (.state, .head): ["select", "revision"]
        case (.actions, .post): ["select", "dryRun"]
        case (.actions, .get), (.actions, .head), (.adminSessions, .get), (.adminSessions, .head): ["after", "limit"]
        case (.events, .get): ["select", "changes", "effects", "color", "lastEventId"]
        default: []
        }
    }

    /// Refuses a query that names a parameter twice, or not quite as it is called: the answer would be to another question,
    /// and what was to be a dry run would be committed.
    ///
    /// A name that is like none is passed over. Caches are outwitted, and visitors followed, by such.
    func requireClear(_ query: QueryItems, of method: HTTPMethod) throws(Problem) {
        guard !query.isEmpty else { return }
        let known = parameters(of: method)
        guard !known.isEmpty else { return }
        var query = query
        var seen = [Bool](repeating: false, count: known.count)
        while let name = query.nextName() {
            if let place = known.firstIndex(of: name) {
                if seen[place] { throw Problem(.malformedRequest, "\(name) must not stand in a query twice.") }
                seen[place] = true
            } else if let meant = known.first(where: { Self.isSlip(name, for: $0) }) {
                throw Problem(.malformedRequest, "This resource has no parameter of this name. Did you mean \(meant)?")
            }
        }
    }

    /// Whether somebody who wrote `name` has most likely meant `parameter`: a third of its letters may be wrong.
    private static func isSlip(_ name: String, for parameter: String) -> Bool {
        let most = parameter.utf8.count / 3
        return abs(name.utf8.count - parameter.utf8.count) <= most
            && editDistance(name.lowercased(), parameter.lowercased()) <= most
    }
}

/// What a path names.
struct Resource {
    let route: Route
    /// The session's id, not yet looked at. It means nothing where the route has none.
    let id: PathSegment

    init(_ path: RequestPath) throws(Problem) {
        var path = path
        guard let first = path.next() else { throw Self.unknown }
        guard let second = path.next() else {
            id = first
            route = try Self.top(first)
            return
        }
        if first == "admin", second == "sessions", path.next() == nil {
            id = second
            route = .adminSessions
            return
        }
        guard first == "sessions" else { throw Self.unknown }
        id = second
        route = try Self.ofSession(second, path.next())
        guard path.next() == nil else { throw Self.unknown }
    }

    private static func top(_ name: PathSegment) throws(Problem) -> Route {
        switch name {
        case "": .index
        case "*": .server
        case "stores": .stores
        case "openapi.json": .openAPI
        case "healthz": .liveness
        case "readyz": .readiness
        case "metrics": .metrics
        case "sessions": .sessions
        default: throw unknown
        }
    }

    private static func ofSession(_ id: PathSegment, _ name: PathSegment?) throws(Problem) -> Route {
        switch name {
        case nil where !id.isEmpty: .session
        case "state"?: .state
        case "actions"?: .actions
        case "events"?: .events
        case "forks"?: .forks
        default: throw unknown
        }
    }

    private static var unknown: Problem {
        Problem(.noSuchResource, "There is nothing at this path. GET / lists what there is.")
    }
}
