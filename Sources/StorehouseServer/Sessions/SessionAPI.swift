import Access
import HTTP
import HTTPServer
import JSON
import Observability
import StoreHosting
import Stores

/// Creates, shows, forks and deletes sessions.
final class SessionAPI: Sendable {
    private let access: SessionAccess
    private let availability: Availability
    private let registry: SessionRegistry
    private let creator: SessionCreator
    private let states: StateReader
    private let limits: RateLimits
    private let reservations = SessionReservations()
    private let log: Log

    init(
        _ access: SessionAccess, _ availability: Availability, _ creator: SessionCreator, _ states: StateReader,
        _ limits: RateLimits
    ) {
        self.access = access
        self.availability = availability
        registry = creator.registry
        log = creator.log
        self.creator = creator
        self.states = states
        self.limits = limits
    }

    func create(_ context: RequestContext) throws(Problem) {
        try availability.requireRoom()
        try context.head.requireJSONAcceptable()
        let kind = try requestedKind(context.request)
        try limits.admitCreation(context.head, peer: context.exchange.peer)
        try context.credentials.require(store: kind.kind.name)
        let created = try create(kind, nil, for: context.credentials.subject)
        context.answer(created.response, about: created.session)
    }

    /// May be called on any thread.
    private func create(
        _ kind: KindRuntime, _ fork: Session.Fork?, id: SessionID = .random(), for owner: Subject?
    ) throws(Problem) -> (session: Session, response: Response) {
        let session = try creator.create(kind, fork, id: id, owner: owner)
        let state = session.store.read()
        var json = JSONWriter(reservingCapacity: state.json.count + 1024)
        let document = registry.document(of: session, revision: state.revision, state: state.json)
        json.value(document)
        let response = Response.document(
            json.finishLine(), .created, revision: session.tag(state.revision),
            fields: [.init("Location", document.path), .init("Cache-Control", "no-store")])
        // Effects of the state that the fork was made of do not run here: they are reported as interrupted.
        if fork != nil { session.store.resume() }
        return (session, response)
    }

    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, for: .read, context, answer(with:_:))
    }

    /// Answers with the session document.
    func answer(with session: Session, _ context: RequestContext) {
        guard session.isLarge else { return context.answer(document(session), about: session) }
        // The store may be busy with its large state.
        states.respond(to: context, about: session) { [self] in (session, document(session)) }
    }

    private func document(_ session: Session) -> Response {
        var json = JSONWriter(reservingCapacity: 512)
        json.value(registry.document(of: session, revision: session.store.revision))
        return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
    }

    func delete(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireStorage()
        try access.authorizedSession(id, for: .delete, context, delete)
    }

    /// Answers 204 once the end is durable.
    ///
    /// A commit that is made at the same time may come between the look at the conditions of the request and the end.
    private func delete(_ session: Session, _ context: RequestContext) throws(Problem) {
        guard try hold(Preconditions(context.head), for: session, context) else { return }
        let deferred = context.deferred
        registry.end(session, as: .ended) { [self] result in
            switch result {
            case .ended:
                log.debug("session deleted", [.init("session", session.id.fingerprint)])
                deferred.answer { Response(.noContent) }
            case .failed(let failure): deferred.answer { Problem(failure).response }
            case .detached:
                // It hibernated since it was found. Later in the loop it can be found again.
                deferred.resumeInLaterTurn { [self] context throws(Problem) in
                    try access.authorizedSession(session.id, for: .delete, context, delete)
                }
            }
        }
    }

    /// Whether a request that changes the session may be carried out. If not, it is answered.
    private func hold(_ conditions: Preconditions, for session: Session, _ context: RequestContext) -> Bool {
        guard !conditions.areNone, case let revision = session.store.revision else { return true }
        if case .hold = conditions.outcome(at: session.tag(revision)) { return true }
        context.refuse(mismatchAt: revision, of: session)
        return false
    }

    /// The kind that the body names; without a body, the default.
    private func requestedKind(_ request: Request) throws(Problem) -> KindRuntime {
        try creator.builder.kind(try requestedStore(request))
    }

    /// The name of a kind in the body; nil if it has none.
    private func requestedStore(_ request: Request) throws(Problem) -> String? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.shortJSON()
        let violations = Self.creationSchema(store: .string()).validate(body)
        guard violations.isEmpty else {
            throw Problem(.invalid(violations, .creation(store: try creator.builder.kind(nil).kind.name)))
        }
        return body["store"]?.asString
    }

    /// The schema of the body that creates a session.
    static func creationSchema(store: JSONSchema) -> JSONSchema { .object([.optional("store", store)]) }
}

// Ids of clients.
extension SessionAPI {
    /// Creates a session with the id that the client has made, unless there is one of the same kind already.
    func put(_ segment: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireServing()
        try context.head.requireJSONAcceptable()
        guard let id = SessionID(segment.decoded) else {
            throw Problem(.path(.sessionID))
        }
        let store = try requestedStore(context.request)
        let kind = try creator.builder.kind(store)
        try context.credentials.require(store: kind.kind.name)
        let conditions = try Preconditions(context.head)
        let deferred = context.deferred
        reservations.reserve(id) { [self] reservation in
            deferred.resumeInLaterTurn { [self] context throws(Problem) in
                try put(id, kind, isNamed: store != nil, conditions, context, reservation)
            }
        }
    }

    /// - Parameters:
    ///   - isNamed: whether the client has named the kind.
    ///   - reservation: is held until the session can be found.
    private func put(
        _ id: SessionID, _ kind: KindRuntime, isNamed: Bool, _ conditions: Preconditions, _ context: RequestContext,
        _ reservation: SessionReservations.Reservation
    ) throws(Problem) {
        try access.authorizedSession(
            id, for: .create, context,
            ifUnknown: { [self] context throws(Problem) in
                defer { withExtendedLifetime(reservation) {} }
                guard !conditions.expectSession else {
                    throw Problem(.absent(.expected))
                }
                try availability.requireRoom()
                try limits.admitCreation(context.head, peer: context.exchange.peer)
                let created = try create(kind, nil, id: id, for: context.credentials.subject)
                guard registry.isShared else { return context.answer(created.response, about: created.session) }
                let deferred = context.deferred
                created.session.whenDurable { failure in
                    deferred.resume { [self] context throws(Problem) in
                        guard failure == .conflict else {
                            return context.answer(created.response, about: created.session)
                        }
                        // Another node has created it at the same time: it is found now.
                        try put(id, kind, isNamed: isNamed, conditions, context, reservation)
                    }
                }
            },
            { [self] (session, context) throws(Problem) in
                guard !isNamed || session.kind.name == kind.kind.name else {
                    throw Problem(.absent(.otherStore(session.kind.name)))
                }
                if hold(conditions, for: session, context) { answer(with: session, context) }
            })
    }
}

// Forks.
extension SessionAPI {
    /// Creates a session from a state of another.
    func fork(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireRoom()
        try context.head.requireJSONAcceptable()
        let wanted = try Self.forkedRevision(context.request)
        try access.authorizedSession(id, for: .create, context) { [self] (parent, context) throws(Problem) in
            try limits.admitCreation(context.head, peer: context.exchange.peer)
            guard !parent.wasLarge else { return forkLarge(parent, at: wanted, context) }
            let revision = wanted ?? parent.store.revision
            let deferred = context.deferred
            parent.state(at: revision) { found in
                deferred.resume { [self] context throws(Problem) in
                    let state = try found.get()
                    let fork = try create(parent.runtime, .init(revision, state), for: context.credentials.subject)
                    context.answer(fork.response, about: fork.session)
                }
            }
        }
    }

    /// Leaves the event loop, and shares the memory of the state with the other forks of the same revision.
    private func forkLarge(_ parent: Session, at wanted: Int?, _ context: RequestContext) {
        let owner = context.credentials.subject
        states.respond(to: context, about: parent) { [self] () throws(Problem) in
            try availability.memory.requireRoom(for: Self.bytes(toFork: parent))
            let revision = wanted ?? parent.store.revision
            let past = try states.past(of: parent, at: revision)
            return try create(parent.runtime, .init(revision, past.snapshot, shared: past), for: owner)
        }
    }

    /// What it may take to replay, decode and encode a state.
    private static func bytes(toFork parent: Session) -> Int { 16 * parent.largestSize }

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
