import HTTP

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
