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
    private let builder: SessionBuilder
    private let kinds: [KindRuntime]
    private let defaultStore: String
    private let journal: (any Journal)?
    private let limits: RateLimits
    private let proxies: TrustedProxies
    private let clock: WallClock
    private let log: Log
    private let metrics: ServerMetrics

    init(
        _ access: SessionAccess, _ availability: Availability, _ registry: SessionRegistry, _ builder: SessionBuilder,
        _ kinds: [KindRuntime], defaultStore: String, journal: (any Journal)?, limits: RateLimits,
        proxies: TrustedProxies, clock: WallClock, log: Log, _ metrics: ServerMetrics
    ) {
        self.access = access
        self.availability = availability
        self.registry = registry
        self.builder = builder
        self.kinds = kinds
        self.defaultStore = defaultStore
        self.journal = journal
        self.limits = limits
        self.proxies = proxies
        self.clock = clock
        self.log = log
        self.metrics = metrics
    }

    func create(_ context: RequestContext) throws(Problem) {
        try availability.requireWritable()
        try context.head.requireJSONAcceptable()
        try create(try requestedKind(context.request), nil, context)
    }

    private func create(_ kind: KindRuntime, _ fork: Session.Fork?, _ context: RequestContext) throws(Problem) {
        try limits.admitCreation(by: proxies.client(behind: context.exchange.peer, context.head.fields))
        let created = try registry.create { (id, now) throws(Problem) in
            try builder.create(kind, id, now: now, journal, fork: fork)
        }
        guard let session = created else {
            throw Problem(.tooManySessions, "The server holds as many sessions as it may; delete some, or try later.")
        }
        metrics.sessionCreated()
        log.debug("session created", [.init("session", session.id.fingerprint), .init("store", session.kind.name)])
        let state = session.store.read()
        var json = JSONWriter(reservingCapacity: 1024)
        json.value(document(session, state.revision, state: state.json))
        let response = Response.document(
            json.finish(), .created, revision: state.revision,
            fields: [.init("Location", "/sessions/\(session.id)"), .init("Cache-Control", "no-store")])
        // Effects of the state that the fork was made of do not run here: they are reported as interrupted.
        if fork != nil { session.store.resume() }
        context.answer(response, about: session)
    }

    func read(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try context.head.requireJSONAcceptable()
        try access.authorizedSession(id, context) { [self] session, context in
            var json = JSONWriter(reservingCapacity: 512)
            json.value(document(session, session.store.revision, state: nil))
            context.answer(
                .document(json.finish(), fields: [.init("Cache-Control", "no-store")]), about: session)
        }
    }

    func delete(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireStorage()
        try access.authorizedSession(id, context, delete)
    }

    /// Answers 204 once the end is durable.
    private func delete(_ session: Session, _ context: RequestContext) {
        let deferred = context.deferred
        registry.end(session) { [self] result in
            switch result {
            case .ended:
                log.debug("session deleted", [.init("session", session.id.fingerprint)])
                deferred.answer { Response(.noContent) }
            case .failed(let failure): deferred.answer { Problem(failure).response }
            case .detached:
                // It hibernated since it was found. Later in the loop it can be found again.
                deferred.resumeInLaterTurn { [self] context throws(Problem) in
                    try access.authorizedSession(session.id, context, delete)
                }
            }
        }
    }

    private func document(_ session: Session, _ revision: Int, state: [UInt8]?) -> SessionDocument {
        SessionDocument(
            session: session, now: clock.now(), idleTimeout: registry.policy.idleTimeout, state: state,
            revision: revision)
    }

    /// The kind that the body names; without a body, the default.
    private func requestedKind(_ request: Request) throws(Problem) -> KindRuntime {
        guard !request.body.isEmpty else { return try kind(defaultStore) }
        let body = try request.json()
        let violations = Self.creationSchema(store: .string()).validate(body)
        guard violations.isEmpty else {
            throw Problem.invalid(violations, "The body must be like {\"store\":\"\(defaultStore)\"}.")
        }
        return try kind(body["store"]?.asString ?? defaultStore)
    }

    /// The schema of the body that creates a session.
    static func creationSchema(store: JSONSchema) -> JSONSchema { .object([.optional("store", store)]) }

    private func kind(_ name: String) throws(Problem) -> KindRuntime {
        if let kind = kinds.first(where: { $0.kind.name == name }) { return kind }
        let known = kinds.map(\.kind.name).joined(separator: ", ")
        throw Problem(.noSuchStore, "No store has this name; the stores are: \(known).")
    }
}

// Forks.
extension SessionAPI {
    /// Creates a session from a state of another.
    func fork(_ id: PathSegment, _ context: RequestContext) throws(Problem) {
        try availability.requireWritable()
        try context.head.requireJSONAcceptable()
        let wanted = try Self.forkedRevision(context.request)
        try access.authorizedSession(id, context) { [self] (parent, context) throws(Problem) in
            let revision = wanted ?? parent.store.revision
            let deferred = context.deferred
            parent.state(at: revision) { found in
                deferred.resume { context throws(Problem) in
                    try self.create(parent.runtime, .init(revision, try found.get()), context)
                }
            }
        }
    }

    /// The revision that the body names; nil for the newest.
    private static func forkedRevision(_ request: Request) throws(Problem) -> Int? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.json()
        let violations = forkSchema.validate(body)
        guard violations.isEmpty else {
            throw Problem.invalid(violations, "The body must be like {\"revision\":3}, or empty for the newest.")
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

extension Problem {
    static func invalid(_ violations: [JSONSchema.Violation], _ detail: String) -> Problem {
        Problem(.invalidPayload, detail).with(
            "errors",
            .array(
                violations.map { violation in
                    ["pointer": .string(violation.pointer.description), "detail": .string(violation.detail)]
                }))
    }
}
