import HTTP
import JSON
import Stores
import Synchronization

/// What the server does, apart from sockets: the sessions and the answers about them.
final class Service: Sendable {
    struct Settings: Sendable {
        var defaultStore = "app"
        var sessions = SessionRegistry.Settings()
        var streams = EventStream.Settings()
        var allowedOrigins: [String] = []
        /// The longest that an answer is held for `Prefer: wait`.
        var maxWait = Duration.seconds(60)
    }

    let settings: Settings
    let kinds: [HostedKind]
    let registry: SessionRegistry
    let journal: (any Journal)?
    let clock: Clock
    let cors: CORS
    let log: Log
    let documents: Documents
    private let draining = Atomic(false)

    init(_ kinds: [StoreKind], _ settings: Settings, journal: (any Journal)?, clock: Clock, log: Log) {
        self.kinds = kinds.map { HostedKind($0, clock: clock, log: log) }
        self.settings = settings
        self.journal = journal
        self.clock = clock
        self.log = log
        registry = SessionRegistry(settings.sessions, clock: clock)
        cors = CORS(settings.allowedOrigins)
        documents = Documents(kinds, defaultStore: settings.defaultStore)
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// From here on nothing new begins.
    func drain() { draining.store(true, ordering: .relaxed) }

    func refuseWhileDraining() throws(Problem) {
        guard isDraining else { return }
        throw Problem(
            .draining, "The server is shutting down; nothing was done. Try again, on another one if there is.")
    }

    /// The session that a path names.
    func session(_ segment: PathSegment) throws(Problem) -> Session { try session(lookUp(segment)) }

    /// The session that was found.
    func session(_ found: SessionRegistry.Lookup) throws(Problem) -> Session {
        switch found {
        case .session(let session): return session
        case .ended:
            throw Problem(.sessionEnded, "This session was deleted or expired; create another with POST /sessions.")
        case .unknown:
            throw Problem(.noSuchSession, "No session has this id; create one with POST /sessions.")
        }
    }

    func lookUp(_ segment: PathSegment) -> SessionRegistry.Lookup {
        SessionID(segment.decoded).map(registry.find) ?? .unknown
    }

    /// The answer to GET and HEAD.
    func read(_ resource: Resource, _ head: RequestHead) throws(Problem) -> Response {
        try Self.requireAcceptable(head)
        switch resource.route {
        case .index: return .document(documents.index)
        case .stores: return .document(documents.stores)
        case .openAPI: return .document(documents.openAPI)
        case .liveness: return Self.alive
        case .readiness:
            try refuseWhileDraining()
            return Self.ready
        case .session: return try readSession(resource.id)
        case .state: return try readState(resource.id, head)
        case .actions: return try readActions(resource.id, head)
        case .sessions, .events, .server: throw Problem(.methodNotAllowed, "This cannot be read.")
        }
    }

    private static let alive = Response.document(Array(#"{"status":"alive"}"#.utf8))
    private static let ready = Response.document(Array(#"{"status":"ready"}"#.utf8))
    private static let json = MediaType("application/json")

    /// Refuses a client that takes no JSON.
    static func requireAcceptable(_ head: RequestHead) throws(Problem) {
        guard head.fields.contains("accept"), !head.fields.first("accept", is: "*/*"), let json,
            AcceptHeader(head.fields.values("accept")).quality(of: json) == 0
        else { return }
        throw Problem(.notAcceptable, "This resource is application/json; let Accept include it.")
    }
}

extension Response {
    /// A JSON document with its revision, if it has one.
    static func document(
        _ json: [UInt8], _ status: HTTPStatus = .ok, revision: Int? = nil, fields: [Field] = []
    ) -> Response {
        Response(
            status, fields: fields.isEmpty ? documentFields : documentFields + fields, revision: revision, body: json)
    }

    private static let documentFields = [
        Field("Content-Type", "application/json"), Field("X-Content-Type-Options", "nosniff"),
    ]
}
