import HTTP
import JSON
import Stores

extension Service {
    func createSession(_ request: Request) throws(Problem) -> Response {
        try refuseWhileDraining()
        try Self.requireAcceptable(request.head)
        let kind = try requestedKind(request)
        guard let session = registry.create({ begin(kind, $0, now: $1) }) else {
            throw Problem(.tooManySessions, "The server holds as many sessions as it may; delete some, or try later.")
        }
        log.debug("session created", [.init("session", session.id.shortened), .init("store", session.kind.name)])
        let found = session.store.read()
        var json = JSONWriter(reservingCapacity: 1024)
        json.value(document(session, found.revision, state: found.json))
        return .document(
            json.finish(), .created, revision: found.revision,
            fields: [.init("Location", "/sessions/\(session.id)"), .init("Cache-Control", "no-store")])
    }

    func readSession(_ id: PathSegment) throws(Problem) -> Response {
        let session = try session(id)
        var json = JSONWriter(reservingCapacity: 512)
        json.value(document(session, session.store.revision, state: nil))
        return .document(json.finish(), fields: [.init("Cache-Control", "no-store")])
    }

    func deleteSession(_ id: PathSegment) throws(Problem) -> Response {
        let session = try session(id)
        registry.end(session)
        log.debug("session deleted", [.init("session", session.id.shortened)])
        return Response(.noContent)
    }

    private func document(_ session: Session, _ revision: Int, state: [UInt8]?) -> SessionDocument {
        SessionDocument(
            session: session, now: clock.now(), idleTimeout: settings.sessions.idleTimeout, state: state,
            revision: revision)
    }

    /// The kind that the body names; without a body the default one.
    private func requestedKind(_ request: Request) throws(Problem) -> HostedKind {
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

    private func kind(_ name: String) throws(Problem) -> HostedKind {
        if let kind = kinds.first(where: { $0.kind.name == name }) { return kind }
        let known = kinds.map(\.kind.name).joined(separator: ", ")
        throw Problem(.noSuchStore, "No store has this name; there are: \(known).")
    }

    private func begin(_ kind: HostedKind, _ id: SessionID, now: Int) -> Session {
        let record = SessionRecord(
            id: id.description, kind: kind.kind.name, schema: 1, createdAt: now, forkedFrom: nil, history: "",
            initial: KeptState(json: kind.kind.initialState))
        let journal = journal?.begin(record)
        let recorder: (any ActionRecorder)? = log.isEnabled(.debug) ? SessionRecorder(log, id, journal) : journal
        return Session(id, kind, now: now, journal: journal, recorder: recorder)
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
