import HTTP
import HTTPServer
import JSON
import Observability
import Security
import StoreHosting
import Stores

/// `/sessions`, `/sessions/{id}` and `/sessions/{id}/forks`: creates, shows, forks and deletes sessions.
final class SessionResource: Sendable {
    private let access: SessionAccess
    private let availability: Availability
    private let kinds: SessionBuilder
    private let limits: RateLimits
    private let reservations = SessionReservations()
    private let log: Log

    /// - Parameter kinds: finds the kinds of new sessions.
    init(
        _ access: SessionAccess, _ availability: Availability, _ kinds: SessionBuilder, _ limits: RateLimits, _ log: Log
    ) {
        self.access = access
        self.availability = availability
        self.kinds = kinds
        self.limits = limits
        self.log = log
    }

    func create(_ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireRoom)
        try context.head.requireJSONAcceptable()
        let kind = try kind(try requestedStore(context.request))
        let wanted = SessionCreation(
            kind: kind, id: nil, conditions: .none, principal: context.credentials, client: client(of: context))
        try access.answer(context, creating: wanted, Self.response)
    }

    /// Whose rate a new session counts for.
    private func client(of context: RequestContext) -> RateLimits.Client {
        limits.client(of: context.head, peer: context.exchange.peer)
    }

    /// The response that shows a session, which may be a new one.
    private static func response(_ result: SessionResult, _ head: RequestHead) throws(Problem) -> Response {
        switch result.content {
        case .description(let json): return .document(json, fields: [.init("Cache-Control", "no-store")])
        case .created(let json, let path):
            return .document(
                json, .created, revision: result.session.tag(result.revision),
                fields: [.init("Location", path), .init("Cache-Control", "no-store")])
        default: throw result.unexpected
        }
    }

    /// - Parameter isUse: whether it counts as use of the session.
    func read(
        _ id: PathSegment, for permission: Permission = .read, isUse: Bool = true, _ context: RequestContext
    ) throws(Problem) {
        try context.head.requireJSONAcceptable()
        let call = SessionCall(
            permission, isUse: isUse, parse: { SessionRequest(.describe(.none), by: $0.credentials) },
            respond: Self.response)
        try access.answer(context, at: id, call)
    }

    /// Answers 204 once the end is durable.
    func delete(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireStorage)
        let call = SessionCall(.delete) { context throws(Problem) in
            SessionRequest(.end(try Preconditions(context.head)), by: context.credentials)
        } respond: { [log] (result, _) in
            log.debug("session deleted", [.init("session", result.session.id.fingerprint)])
            return Response(.noContent)
        }
        try access.answer(context, at: id, call)
    }

    /// The kind with a name; without one, the default.
    private func kind(_ name: String?) throws(Problem) -> KindRuntime {
        try Problem.of { () throws(SessionFailure) in try kinds.kind(name) }
    }

    /// The name of a kind in the body; nil if it has none.
    private func requestedStore(_ request: Request) throws(Problem) -> String? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.shortJSON()
        let violations = Self.creationSchema(store: .string()).validate(body)
        guard violations.isEmpty else {
            throw Problem(.invalid(violations, .creation(store: try kind(nil).kind.name)))
        }
        return body["store"]?.asString
    }

    /// The schema of the body that creates a session.
    static func creationSchema(store: JSONSchema) -> JSONSchema { .object([.optional("store", store)]) }
}

// Ids of clients.
extension SessionResource {
    /// Creates a session with the id that the client has made, unless there is one of the same kind already.
    func put(_ segment: PathSegment, _ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireServing)
        try context.head.requireJSONAcceptable()
        guard let id = SessionID(segment.decoded) else {
            throw Problem(.path(.sessionID))
        }
        let store = try requestedStore(context.request)
        let kind = try kind(store)
        try Problem.of { () throws(SessionFailure) in try context.credentials.require(store: kind.kind.name) }
        let wanted = SessionCreation(
            kind: kind, id: id, conditions: try Preconditions(context.head), principal: context.credentials,
            client: client(of: context))
        try context.proceed(with: .later { [reservations] in await reservations.reserve(id) }) {
            [self] (reservation, context) throws(Problem) in
            let call = SessionCall(.create) { context in
                SessionRequest(
                    .describe(wanted.conditions, kind: store == nil ? nil : kind.kind.name), by: context.credentials)
            } create: { _ in
                // It is held until the session can be found.
                withExtendedLifetime(reservation) { wanted }
            } respond: { (result, head) throws(Problem) in
                try Self.response(result, head)
            }
            try access.answer(context, at: segment, call)
        }
    }
}

// Forks.
extension SessionResource {
    /// Creates a session from a state of another.
    func fork(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireRoom)
        try context.head.requireJSONAcceptable()
        let wanted = try Self.forkedRevision(context.request)
        let client = client(of: context)
        let call = SessionCall(
            .create, parse: { SessionRequest(.fork(revision: wanted, client: client), by: $0.credentials) },
            respond: Self.response)
        try access.answer(context, at: id, call)
    }

    /// The revision that the body names; nil for the newest.
    private static func forkedRevision(_ request: Request) throws(Problem) -> Int? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.shortJSON()
        let violations = forkSchema.validate(body)
        guard violations.isEmpty else {
            throw Problem(.invalid(violations, .fork))
        }
        return body["revision"]?.asInteger
    }

    /// The schema of the body that forks a session.
    static let forkSchema = JSONSchema.object([
        .optional("revision", .integer(minimum: 0).described("The revision to begin with; the newest without one."))
    ])
}

extension SessionID {
    /// Names the session in the log.
    var fingerprint: String { Fingerprint.of(description) }
}

/// A session as clients see it.
struct SessionDocument: JSONEncodable {
    /// The path of the session.
    let path: String
    let id: String
    private let store: String
    private let revision: Int
    private let createdAt: Int
    private let lastActiveAt: Int
    /// Nil if it never expires.
    private let expiresAt: Int?
    private let subscribers: Int
    private let effects: [String]
    private let forkedFrom: Int?
    private let owner: Subject?
    /// The node that has the session; nil if the server is alone, or if it is not in memory.
    let node: String?
    /// Nil if the document is without the state.
    private let state: [UInt8]?

    init(
        session: Session, revision: Int, basePath: String, node: String?, createdAt: Int, lastActiveAt: Int,
        expiresAt: Int?,
        state: [UInt8]?
    ) {
        id = session.id.description
        path = "\(basePath)/sessions/\(id)"
        store = session.kind.name
        self.revision = revision
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
        self.expiresAt = expiresAt
        subscribers = session.streamCount
        effects = session.store.runningEffects
        forkedFrom = session.fork?.revision
        owner = session.owner
        self.node = node
        self.state = state
    }

    /// The document of a session that is not in memory: it has no streams and no effects.
    init(
        hibernated summary: SessionSummary, basePath: String, createdAt: Int, lastActiveAt: Int, expiresAt: Int?
    ) {
        id = summary.header.id
        path = "\(basePath)/sessions/\(id)"
        store = summary.header.kind
        revision = summary.revision
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
        self.expiresAt = expiresAt
        subscribers = 0
        effects = []
        forkedFrom = summary.header.forkedFrom
        owner = summary.header.owner
        node = summary.node
        state = nil
    }

    /// About how many bytes it takes as JSON.
    var byteCount: Int { (state?.count ?? 0) + 1024 }

    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("store", store)
            json.member("revision", revision)
            json.member("createdAt", Timestamp.rfc3339(createdAt))
            json.member("lastActiveAt", Timestamp.rfc3339(lastActiveAt))
            json.member("expiresAt", ifPresent: expiresAt.map(Timestamp.rfc3339))
            json.member("subscribers", subscribers)
            json.member("effects", effects)
            if let forkedFrom { json.member("forkedFrom", object: { $0.member("revision", forkedFrom) }) }
            json.member("owner", ifPresent: owner)
            json.member("node", ifPresent: node)
            json.member(
                "links",
                object: { json in
                    json.member("self", path)
                    json.member("state", path + "/state")
                    json.member("actions", path + "/actions")
                    json.member("events", path + "/events")
                    json.member("forks", path + "/forks")
                })
            if let state { json.member("state", raw: state) }
        }
    }
}
