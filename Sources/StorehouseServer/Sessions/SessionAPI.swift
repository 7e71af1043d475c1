import HTTP
import HTTPServer
import JSON
import Observability
import StoreHosting
import Stores

extension Service {
    func createSession(_ call: Call) throws(Problem) {
        try refuseWhileDraining()
        try refuseWhileUnavailable()
        try Self.requireAcceptable(call.head)
        try begin(try requestedKind(call.request), nil, call)
    }

    /// Begins a session and answers with it.
    func begin(_ kind: KindRuntime, _ fork: Session.Fork?, _ call: Call) throws(Problem) {
        let made = try registry.create { (id, now) throws(Problem) in
            try builder.begin(kind, id, now: now, journal, fork: fork)
        }
        guard let session = made else {
            throw Problem(.tooManySessions, "The server holds as many sessions as it may; delete some, or try later.")
        }
        metrics.sessionBegan()
        log.debug("session created", [.init("session", session.id.shortened), .init("store", session.kind.name)])
        let found = session.store.read()
        var json = JSONWriter(reservingCapacity: 1024)
        json.value(document(session, found.revision, state: found.json))
        let response = Response.document(
            json.finish(), .created, revision: found.revision,
            fields: [.init("Location", "/sessions/\(session.id)"), .init("Cache-Control", "no-store")])
        // What was under way in the state that it began with is not any more.
        if fork != nil { session.store.resume() }
        call.answer(response, about: session)
    }

    func readSession(_ session: Session, _ call: Call) throws(Problem) {
        var json = JSONWriter(reservingCapacity: 512)
        json.value(document(session, session.store.revision, state: nil))
        call.answer(.document(json.finish(), fields: [.init("Cache-Control", "no-store")]), about: session)
    }

    func deleteSession(_ id: PathSegment, _ call: Call) throws(Problem) {
        try refuseWhileUnavailable()
        try withSession(id, call) { [registry, log] (session, call) throws(Problem) in
            registry.end(session)
            log.debug("session deleted", [.init("session", session.id.shortened)])
            call.answer(Response(.noContent), about: session)
        }
    }

    func document(_ session: Session, _ revision: Int, state: [UInt8]?) -> SessionDocument {
        SessionDocument(
            session: session, now: clock.now(), idleTimeout: settings.sessions.idleTimeout, state: state,
            revision: revision)
    }

    /// The kind that the body names; without a body the default one.
    private func requestedKind(_ request: Request) throws(Problem) -> KindRuntime {
        guard !request.body.isEmpty else { return try kind(settings.defaultStore) }
        let body = try request.json()
        let violations = Self.sessionRequest(store: .string()).validate(body)
        guard violations.isEmpty else {
            throw Problem.invalid(violations, "The body must be like {\"store\":\"\(settings.defaultStore)\"}.")
        }
        return try kind(body["store"]?.asString ?? settings.defaultStore)
    }

    /// The body that creates a session.
    static func sessionRequest(store: JSONSchema) -> JSONSchema { .object([.optional("store", store)]) }

    private func kind(_ name: String) throws(Problem) -> KindRuntime {
        if let kind = kinds.first(where: { $0.kind.name == name }) { return kind }
        let known = kinds.map(\.kind.name).joined(separator: ", ")
        throw Problem(.noSuchStore, "No store has this name; there are: \(known).")
    }
}

extension SessionID {
    /// Enough to tell sessions apart in a log, and too little to use one.
    var shortened: String { String(description.prefix(6)) }
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

extension Service {
    /// Creates a session that goes on from a state of another.
    func forkSession(_ segment: PathSegment, _ call: Call) throws(Problem) {
        try refuseWhileDraining()
        try refuseWhileUnavailable()
        try Self.requireAcceptable(call.head)
        let wanted = try Self.forkedRevision(call.request)
        try withSession(segment, call) { [self] (parent, call) throws(Problem) in
            let revision = wanted ?? parent.store.revision
            let later = call.later
            parent.past(revision) { found in
                later.resume { call throws(Problem) in
                    try self.begin(parent.hosted, .init(revision, try found.get()), call)
                }
            }
        }
    }

    /// The revision that the body names; nil for the newest.
    private static func forkedRevision(_ request: Request) throws(Problem) -> Int? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.json()
        let violations = forkRequest.validate(body)
        guard violations.isEmpty else {
            throw Problem.invalid(violations, "The body must be like {\"revision\":3}, or empty for the newest.")
        }
        return body["revision"]?.asInteger
    }

    /// The body that forks a session.
    static let forkRequest = JSONSchema.object([
        .optional("revision", .integer(minimum: 0).described("The revision to begin with; the newest without one."))
    ])
}
