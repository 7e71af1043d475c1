import HTTP

/// What a path names.
struct Resource {
    let route: Route
    /// The session's id, not yet looked at. It means nothing where the route has none.
    let id: PathSegment

    init(_ path: RequestPath) throws(Problem) {
        var path = path
        guard let first = path.next() else { throw Self.unknown }
        let (second, third, fourth) = (path.next(), path.next(), path.next())
        id = second ?? first
        switch (first, second, third, fourth) {
        case ("", nil, nil, nil): route = .index
        case ("*", nil, nil, nil): route = .server
        case ("stores", nil, nil, nil): route = .stores
        case ("openapi.json", nil, nil, nil): route = .openAPI
        case ("healthz", nil, nil, nil): route = .liveness
        case ("readyz", nil, nil, nil): route = .readiness
        case ("sessions", nil, nil, nil): route = .sessions
        case ("sessions", let id?, nil, nil) where !id.isEmpty: route = .session
        case ("sessions", _?, "state"?, nil): route = .state
        case ("sessions", _?, "actions"?, nil): route = .actions
        case ("sessions", _?, "events"?, nil): route = .events
        default: throw Self.unknown
        }
    }

    private static var unknown: Problem {
        Problem(.noSuchResource, "There is nothing at this path. GET / lists what there is.")
    }
}
