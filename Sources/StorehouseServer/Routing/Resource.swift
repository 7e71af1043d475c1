import HTTP

/// What a path names.
enum Resource {
    case index, stores, openAPI
    case liveness, readiness
    case sessions
    case session(PathSegment)
    case state(PathSegment)
    case actions(PathSegment)
    case events(PathSegment)
    /// The server as a whole: `OPTIONS *`.
    case server

    init(_ path: RequestPath) throws(Problem) {
        var path = path
        guard let first = path.next() else { throw Self.unknown }
        let rest = [path.next(), path.next(), path.next()]
        switch (first, rest[0], rest[1], rest[2]) {
        case ("", nil, nil, nil): self = .index
        case ("*", nil, nil, nil): self = .server
        case ("stores", nil, nil, nil): self = .stores
        case ("openapi.json", nil, nil, nil): self = .openAPI
        case ("healthz", nil, nil, nil): self = .liveness
        case ("readyz", nil, nil, nil): self = .readiness
        case ("sessions", nil, nil, nil): self = .sessions
        case ("sessions", let id?, nil, nil) where !id.isEmpty: self = .session(id)
        case ("sessions", let id?, "state"?, nil): self = .state(id)
        case ("sessions", let id?, "actions"?, nil): self = .actions(id)
        case ("sessions", let id?, "events"?, nil): self = .events(id)
        default: throw Self.unknown
        }
    }

    /// The methods that it takes, as the Allow field lists them.
    var allow: String {
        switch self {
        case .index, .stores, .openAPI, .liveness, .readiness, .state: "GET, HEAD, OPTIONS"
        case .sessions: "POST, OPTIONS"
        case .actions: "GET, HEAD, POST, OPTIONS"
        case .session: "GET, HEAD, DELETE, OPTIONS"
        case .events: "GET, OPTIONS"
        case .server: "OPTIONS"
        }
    }

    /// Whether GET and HEAD answer with a document.
    var isReadable: Bool { allow.hasPrefix("GET, HEAD") }

    private static var unknown: Problem {
        Problem(.noSuchResource, "There is nothing at this path. GET / lists what there is.")
    }
}
