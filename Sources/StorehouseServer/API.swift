package import HTTP
import JSON
import Observability
import StoreHosting
import Stores
import Synchronization

/// What the server does, apart from sockets: the sessions and the answers about them.
final class Service: Sendable {
    struct Settings: Sendable {
        var defaultStore = "app"
        var sessions = SessionRegistry.Settings()
        var streams = EventStream.Settings()
        var allowedOrigins: [String] = []
        /// Tells this run from others where commits may be lost between them; empty where none can be.
        var epoch = ""
        /// What opens what only operators may see.
        var adminToken = ""
        /// Whether browsers get the inspector page at `/`.
        var hasInspector = true
        /// The longest that an answer is held for `Prefer: wait`.
        var maxWait = Duration.seconds(60)
    }

    let settings: Settings
    let kinds: [KindRuntime]
    let registry: SessionRegistry
    let journal: (any Journal)?
    let clock: WallClock
    let cors: CORS
    let log: Log
    let builder: SessionBuilder
    /// Finds sessions that are not in memory; nil where there are no others.
    let loader: SessionLoader?
    let documents: Documents
    let metrics = Metrics()
    let moreMetrics: (@Sendable (inout PrometheusWriter) -> Void)?
    private let draining = Atomic(false)

    init(
        _ kinds: [StoreKind], _ settings: Settings, journal: (any Journal)?, sealer: (any SecretSealer)?,
        clock: WallClock,
        log: Log, moreMetrics: (@Sendable (inout PrometheusWriter) -> Void)?
    ) {
        let hosted = kinds.map { KindRuntime($0, clock: clock, sealer: sealer, log: log) }
        let registry = SessionRegistry(settings.sessions, journal: journal, clock: clock)
        self.kinds = hosted
        self.settings = settings
        self.journal = journal
        self.clock = clock
        self.log = log
        self.moreMetrics = moreMetrics
        self.registry = registry
        let builder = SessionBuilder(hosted, epoch: settings.epoch, log)
        self.builder = builder
        loader = journal.map { SessionLoader($0, registry, restore: builder.restore) }
        cors = CORS(settings.allowedOrigins)
        documents = Documents(kinds, defaultStore: settings.defaultStore, hasInspector: settings.hasInspector)
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// From here on nothing new begins.
    func drain() { draining.store(true, ordering: .relaxed) }

    func refuseWhileDraining() throws(Problem) {
        guard isDraining else { return }
        throw Problem(
            .draining, "The server is shutting down; nothing was done. Try again, on another one if there is.")
    }

    /// Refuses what would commit something, where that could not be kept.
    func refuseWhileUnavailable() throws(Problem) {
        if journal?.isAvailable == false { throw Problem(JournalError.unavailable("")) }
    }

    /// Answers GET and HEAD.
    func read(_ resource: Resource, _ call: Call) throws(Problem) {
        // Whoever scrapes says in many ways what is taken, and gets the one form that there is.
        if resource.route == .metrics { return call.answer(readMetrics()) }
        if resource.route == .index { return try readIndex(call) }
        try Self.requireAcceptable(call.head)
        switch resource.route {
        case .stores: call.answer(.document(documents.stores))
        case .openAPI: call.answer(.document(documents.openAPI))
        case .liveness: call.answer(Self.alive)
        case .readiness:
            try refuseWhileDraining()
            try refuseWhileUnavailable()
            call.answer(Self.ready)
        case .session: try withSession(resource.id, call, readSession)
        case .state: try withSession(resource.id, call, readState)
        case .actions: try withSession(resource.id, call, readActions)
        case .adminSessions: try listSessions(call)
        case .index, .sessions, .events, .forks, .metrics, .server:
            throw Problem(.methodNotAllowed, "This cannot be read.")
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
    package static func document(
        _ json: [UInt8], _ status: HTTPStatus = .ok, revision: Int? = nil, fields: [Field] = []
    ) -> Response {
        Response(
            status, fields: fields.isEmpty ? documentFields : documentFields + fields, revision: revision, body: json)
    }

    private static let documentFields = [
        Field("Content-Type", "application/json"), Field("X-Content-Type-Options", "nosniff"),
    ]
}
