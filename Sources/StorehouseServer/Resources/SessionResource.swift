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
    private let creator: SessionCreator
    private let limits: RateLimits
    private let reservations = SessionReservations()
    private let log: Log

    init(_ access: SessionAccess, _ availability: Availability, _ creator: SessionCreator, _ limits: RateLimits) {
        self.access = access
        self.availability = availability
        log = creator.log
        self.creator = creator
        self.limits = limits
    }

    func create(_ context: RequestContext) throws(Problem) {
        try Problem.of(availability.requireRoom)
        try context.head.requireJSONAcceptable()
        let kind = try requestedKind(context.request)
        try admitCreation(context)
        try Problem.of { () throws(SessionFailure) in try context.credentials.require(store: kind.kind.name) }
        let created = try create(kind, .random(), context)
        access.answer(context, with: Handling.now(created).whenDurable(), Self.response) { _ in }
    }

    private func create(
        _ kind: KindRuntime, _ id: SessionID, _ context: RequestContext
    ) throws(Problem) -> SessionResult {
        try Problem.of { () throws(SessionFailure) in
            try creator.result(of: kind, id: id, context.credentials.subject)
        }
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

    private func admitCreation(_ context: RequestContext) throws(Problem) {
        try Problem.of { () throws(SessionFailure) in
            try limits.admitCreation(context.head, peer: context.exchange.peer)
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

    /// The kind that the body names; without a body, the default.
    private func requestedKind(_ request: Request) throws(Problem) -> KindRuntime {
        let store = try requestedStore(request)
        return try Problem.of { () throws(SessionFailure) in try creator.builder.kind(store) }
    }

    private var defaultKind: KindRuntime {
        get throws(Problem) { try Problem.of { () throws(SessionFailure) in try creator.builder.kind(nil) } }
    }

    /// The name of a kind in the body; nil if it has none.
    private func requestedStore(_ request: Request) throws(Problem) -> String? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.shortJSON()
        let violations = Self.creationSchema(store: .string()).validate(body)
        guard violations.isEmpty else {
            throw Problem(.invalid(violations, .creation(store: try defaultKind.kind.name)))
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
        let kind = try Problem.of { () throws(SessionFailure) in try creator.builder.kind(store) }
        try Problem.of { () throws(SessionFailure) in try context.credentials.require(store: kind.kind.name) }
        let wanted = Wanted(
            segment: segment, id: id, kind: kind, isNamed: store != nil, conditions: try Preconditions(context.head))
        try context.proceed(with: .later { [reservations] in await reservations.reserve(id) }) {
            [self] (reservation, context) throws(Problem) in
            try put(wanted, context, reservation)
        }
    }

    /// The session that a client wants to be there.
    private struct Wanted: Sendable {
        let segment: PathSegment
        let id: SessionID
        let kind: KindRuntime
        /// Whether the client has named the kind.
        let isNamed: Bool
        let conditions: Preconditions
    }

    /// - Parameter reservation: is held until the session can be found.
    private func put(
        _ wanted: Wanted, _ context: RequestContext, _ reservation: SessionReservations.Reservation
    ) throws(Problem) {
        let again: SessionAccess.Otherwise = { [self] context throws(Problem) in
            try put(wanted, context, reservation)
        }
        let purpose = SessionAccess.Purpose(permission: .create, creates: true)
        try access.enter(wanted.segment, for: purpose, context) { [self] (entry, context) throws(Problem) in
            if case .unknown = entry {
                access.answer(context, with: try create(wanted, context), Self.response, again: again)
                return withExtendedLifetime(reservation) {}
            }
            let session = try entry.get()
            guard !wanted.isNamed || session.kind.name == wanted.kind.kind.name else {
                throw Problem(.absent(.otherStore(session.kind.name)))
            }
            let request = SessionRequest(.describe(wanted.conditions), by: context.credentials)
            access.perform(request, on: session, context, Self.response, again: again)
        }
    }

    private func create(_ wanted: Wanted, _ context: RequestContext) throws(Problem) -> Handling<SessionResult> {
        guard !wanted.conditions.expectSession else { throw Problem(.absent(.expected)) }
        try Problem.of(availability.requireRoom)
        try admitCreation(context)
        let held = Handling.now(try create(wanted.kind, wanted.id, context)).whenDurable()
        guard case .later(let run) = held else { return held }
        return .later { () async throws(SessionFailure) in
            do throws(SessionFailure) {
                return try await run()
            } catch {
                // Another node has created it at the same time: it is found now.
                if case .unavailable(.storage(.conflict)) = error { throw .detached }
                throw error
            }
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
        let parse: SessionCall.Parse = { [self] context throws(Problem) in
            try admitCreation(context)
            return SessionRequest(.fork(revision: wanted), by: context.credentials)
        }
        try access.answer(context, at: id, SessionCall(.create, parse: parse, respond: Self.response))
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
