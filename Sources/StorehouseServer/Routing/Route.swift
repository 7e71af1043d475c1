package import HTTP
import Sessions
import StoreHosting
import Stores

/// The resources: the path and the methods of each.
///
/// Routing, the Allow field and the OpenAPI document all use it.
package enum Route: Int, Sendable, CaseIterable {
    case index, stores, store, openAPI, client
    case liveness, readiness
    case sessions, session, state, actions, sync, events, forks, shares, share, presence, signals
    case sharedState, sharedEvents, sharedActions, sharedSync, sharedPresence, sharedSignals
    case adminSessions, adminSession, adminState, adminActions, adminEvents, metrics
    /// The whole server: `OPTIONS *`.
    case server

    /// The path; `{id}` stands for a session's id, `{kind}` for the name of a store kind, `{share}` for a share, and `{shareId}` for
    /// its id.
    package var path: String {
        switch self {
        case .index: "/"
        case .stores: "/stores"
        case .store: "/stores/{kind}"
        case .openAPI: "/openapi.json"
        case .client: "/client.js"
        case .liveness: "/healthz"
        case .readiness: "/readyz"
        case .sessions: "/sessions"
        case .session: "/sessions/{id}"
        case .state: "/sessions/{id}/state"
        case .actions: "/sessions/{id}/actions"
        case .sync: "/sessions/{id}/sync"
        case .events: "/sessions/{id}/events"
        case .forks: "/sessions/{id}/forks"
        case .shares: "/sessions/{id}/shares"
        case .share: "/sessions/{id}/shares/{shareId}"
        case .presence: "/sessions/{id}/presence"
        case .signals: "/sessions/{id}/signals"
        case .sharedState: "/shared/{share}/state"
        case .sharedEvents: "/shared/{share}/events"
        case .sharedActions: "/shared/{share}/actions"
        case .sharedSync: "/shared/{share}/sync"
        case .sharedPresence: "/shared/{share}/presence"
        case .sharedSignals: "/shared/{share}/signals"
        case .adminSessions: "/admin/sessions"
        case .adminSession: "/admin/sessions/{id}"
        case .adminState: "/admin/sessions/{id}/state"
        case .adminActions: "/admin/sessions/{id}/actions"
        case .adminEvents: "/admin/sessions/{id}/events"
        case .metrics: "/metrics"
        case .server: "*"
        }
    }

    /// Whether the path has the id of a session.
    var hasSessionID: Bool {
        switch self {
        case .session, .state, .actions, .sync, .events, .forks, .shares, .share, .presence, .signals: true
        default: isOfOneForOperators
        }
    }

    /// Whether it is a session for operators.
    private var isOfOneForOperators: Bool {
        switch self {
        case .adminSession, .adminState, .adminActions, .adminEvents: true
        default: false
        }
    }

    /// Whether it is a session through a share.
    var isShared: Bool {
        switch self {
        case .sharedState, .sharedEvents, .sharedActions, .sharedSync, .sharedPresence, .sharedSignals: true
        default: false
        }
    }

    /// Whether GET may open a stream.
    var isStream: Bool { self == .events || self == .sharedEvents || self == .adminEvents }

    /// Whether POST takes an Idempotency-Key.
    var usesKeys: Bool { self == .actions || self == .sharedActions }

    /// Whether it moves to the listener of `metrics.port`, if there is one.
    var isForOperators: Bool { self == .metrics || self == .adminSessions || isOfOneForOperators }

    /// The methods, as the Allow field lists them.
    package var allow: String {
        switch self {
        case .index, .stores, .store, .openAPI, .client, .liveness, .readiness, .metrics: "GET, HEAD, OPTIONS"
        case .state, .sharedState, .presence, .sharedPresence, .adminSessions, .adminState, .adminActions:
            "GET, HEAD, OPTIONS"
        case .sessions: "GET, HEAD, POST, OPTIONS"
        case .forks, .sharedActions, .sync, .sharedSync, .signals, .sharedSignals: "POST, OPTIONS"
        case .shares: "GET, HEAD, POST, DELETE, OPTIONS"
        case .share: "DELETE, OPTIONS"
        case .actions: "GET, HEAD, POST, OPTIONS"
        case .session: "GET, HEAD, PUT, DELETE, OPTIONS"
        case .adminSession: "GET, HEAD, DELETE, OPTIONS"
        case .events, .sharedEvents, .adminEvents: "GET, OPTIONS"
        case .server: "OPTIONS"
        }
    }
}

// The parameters of queries.
extension Route {
    /// The names of the parameters that a method uses.
    package func parameters(of method: HTTPMethod) -> [String] {
        switch (self, method) {
        case (.state, .get), (.state, .head), (.adminState, .get), (.adminState, .head): ["select", "revision"]
        case (.sharedState, .get), (.sharedState, .head): ["select"]
        case (.actions, .post), (.sharedActions, .post): ["select", "dryRun"]
        case (.actions, .get), (.actions, .head), (.adminActions, .get), (.adminActions, .head):
            ["after", "before", "limit", "type", "origin", "changes", "refused"]
        case (.forks, .post): ["dryRun"]
        case (.sessions, .get), (.sessions, .head): ["after", "limit", "store", "role"]
        case (.adminSessions, .get), (.adminSessions, .head): ["after", "limit", "store", "owner", "mark", "order"]
        case (.events, .get), (.adminEvents, .get):
            [
                "select", "changes", "effects", "actions", "presence", "signals", "ready", "sync", "heartbeat",
                "color", "lastEventId",
            ]
        case (.sharedEvents, .get):
            ["select", "changes", "presence", "signals", "ready", "sync", "heartbeat", "color", "lastEventId"]
        default: []
        }
    }

    /// The names of parameters that other releases have for a method. A client that sends one wants what this server cannot do.
    private func unsupportedParameters(of method: HTTPMethod) -> [String] {
        switch (self, method) {
        // Clients that know the resource of actions may mean it.
        case (.sync, .post), (.sharedSync, .post): ["dryRun"]
        default: []
        }
    }

    /// The names of parameters that show more of a session than a share may.
    private var hiddenParameters: [String] { self == .sharedEvents ? ["actions", "effects"] : [] }

    /// Refuses a query that names a parameter twice, with a typo, or one that this server does not support: otherwise an intended dry
    /// run would be committed.
    ///
    /// Names that resemble no parameter are ignored, since clients add such to bypass caches or to track visits.
    ///
    /// - Parameter others: names of parameters that the resource has beside those of its route.
    func validateQuery(_ query: QueryItems, of method: HTTPMethod, and others: [String] = []) throws(Problem) {
        guard !query.isEmpty else { return }
        let known = others.isEmpty ? parameters(of: method) : parameters(of: method) + others
        let unsupported = unsupportedParameters(of: method)
        guard !known.isEmpty || !unsupported.isEmpty else { return }
        if isShared, query.first("revision") != nil {
            throw Problem(.query(.revision))
        }
        var query = query
        var seen = [Bool](repeating: false, count: known.count)
        while let name = query.nextName() {
            if let index = known.firstIndex(of: name) {
                if seen[index] { throw Problem(.query(.repeated(name))) }
                seen[index] = true
            } else if unsupported.contains(name) {
                throw Problem(.query(.unsupported(name)))
            } else if hiddenParameters.contains(name) {
                throw Problem(.query(.hidden(name)))
            } else if let meant = known.first(where: name.isLikelyTypo(of:)) {
                throw Problem(.query(.misspelled(meant)))
            } else if let meant = unsupported.first(where: name.isLikelyTypo(of:)) {
                throw Problem(.query(.unsupported(meant)))
            }
        }
    }
}

/// The resource that a path names.
struct Resource {
    let route: Route
    /// The session's id, the share or the name of the kind, as it stands in the path; meaningless if the route has none.
    let id: PathSegment
    /// Whether clients have tokens. Otherwise nobody is known whose sessions could be listed.
    let usesTokens: Bool

    init(
        _ path: consuming RequestPath, below base: borrowing BasePath, usesTokens: Bool = true
    ) throws(Problem) {
        self.usesTokens = usesTokens
        try base.remove(from: &path)
        guard let first = path.next() else { throw Problem(.path(.unknown)) }
        guard let second = path.next() else {
            id = first
            route = try Self.top(first)
            return
        }
        if first == "admin", second == "sessions" {
            (id, route) = try Self.admin(second, path.next(), path.next())
            guard path.next() == nil else { throw Problem(.path(.unknown)) }
            return
        }
        id = second
        var route: Route
        switch first {
        case "sessions": route = try Self.ofSession(second, path.next())
        case "shared": route = try Self.ofShare(path.next())
        case "stores" where !second.isEmpty: route = .store
        default: throw Problem(.path(.unknown))
        }
        if let third = path.next() {
            guard route == .shares, !third.isEmpty, path.next() == nil else { throw Problem(.path(.unknown)) }
            route = .share
        }
        self.route = route
    }

    /// The first segment of a path below the base path; nil if the path is not below it.
    static func firstSegment(_ path: RequestPath, below base: BasePath) -> PathSegment? {
        var path = path
        do throws(Problem) { try base.remove(from: &path) } catch { return nil }
        return path.next()
    }

    /// Refuses a query that names a parameter twice, with a typo, or one that this server does not support.
    func validateQuery(_ head: RequestHead) throws(Problem) {
        guard head.hasQuery else { return }
        try route.validateQuery(head.query, of: head.method, and: isPersonal ? ["store"] : [])
    }

    /// The rule of a method; nil if the resource does not have the method.
    func accessRule(for method: HTTPMethod) -> AccessRule? {
        let isMissing = isPersonal && method == .put || hasNoList && (method == .get || method == .head)
        return isMissing ? nil : route.accessRule(for: method)
    }

    /// The methods, as the Allow field lists them. A personal session has no id that a client could choose.
    var allow: String {
        if hasNoList { return route.allow.replacing("GET, HEAD, ", with: "") }
        return isPersonal ? route.allow.replacing("PUT, ", with: "") : route.allow
    }

    private var hasNoList: Bool { route == .sessions && !usesTokens }

    /// Whether it is the session of the token's subject, or below it.
    private var isPersonal: Bool { route.hasSessionID && !route.isForOperators && id == "me" }

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
        case "client.js": .client
        // Under the name of another release, it is not found.
        case _ where name.decoded.starts(with: "client-".utf8): .client
        default: throw Problem(.path(.unknown))
        }
    }

    private static func admin(
        _ list: PathSegment, _ id: PathSegment?, _ part: PathSegment?
    ) throws(Problem) -> (PathSegment, Route) {
        guard let id else { return (list, .adminSessions) }
        guard !id.isEmpty else { throw Problem(.path(.unknown)) }
        switch part {
        case nil: return (id, .adminSession)
        case "state"?: return (id, .adminState)
        case "actions"?: return (id, .adminActions)
        case "events"?: return (id, .adminEvents)
        case _?: throw Problem(.path(.unknown))
        }
    }

    private static func ofSession(_ id: PathSegment, _ name: PathSegment?) throws(Problem) -> Route {
        switch name {
        case nil where !id.isEmpty: .session
        case "state"?: .state
        case "actions"?: .actions
        case "sync"?: .sync
        case "events"?: .events
        case "forks"?: .forks
        case "shares"?: .shares
        case "presence"?: .presence
        case "signals"?: .signals
        default: throw Problem(.path(.unknown))
        }
    }

    private static func ofShare(_ name: PathSegment?) throws(Problem) -> Route {
        switch name {
        case "state"?: .sharedState
        case "events"?: .sharedEvents
        case "actions"?: .sharedActions
        case "sync"?: .sharedSync
        case "presence"?: .sharedPresence
        case "signals"?: .sharedSignals
        default: throw Problem(.path(.unknown))
        }
    }
}

extension Route {
    /// The part of the server that a method needs. It is required before anything of the request is looked at but its query.
    func need(of method: HTTPMethod) -> Availability.Need {
        switch (self, method) {
        case (.actions, .post), (.sharedActions, .post): .commit
        case (.sync, .post), (.sharedSync, .post): .write
        case (.sessions, .post), (.forks, .post): .room
        case (.events, .get), (.sharedEvents, .get), (.adminEvents, .get): .serving
        case (.session, .put), (.shares, .post): .serving
        case (.signals, .post), (.sharedSignals, .post): .serving
        case (.session, .delete), (.adminSession, .delete), (.shares, .delete), (.share, .delete): .storage
        default: .nothing
        }
    }
}
