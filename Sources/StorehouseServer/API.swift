package import HTTP
import HTTPServer
import Locks
import Observability
import RemoteServices
import Security
import Sockets
import StoreHosting
import Stores
import Synchronization

/// The handlers of all resources, and what they share. It knows no sockets.
final class API: Sendable {
    struct Settings: Sendable {
        var defaultStore = "app"
        var sessions = SessionPolicy()
        var limits = SessionLimits()
        var streams = EventStream.Settings()
        var basePath = BasePath()
        var allowedOrigins: [String] = []
        var allowedHosts = AllowedHosts.all
        var trustedProxies = TrustedProxies()
        var rateLimits = Configuration.Limits()
        /// Which requests have a line in the log.
        var loggedRequests = Configuration.Logging.Access.errors
        /// Ends the names of histories; differs in each run if commits may be lost between runs, else empty.
        var streamEpoch = ""
        /// The token for the resources of operators.
        var adminToken = ""
        /// Nil in capability mode.
        var tokenVerifier: TokenVerifier?
        /// Seals shares and cursors; nil for the secret of the journal.
        var secret: [UInt8]?
        /// The service that publishes keys of tokens; nil if there is none.
        var keySetClient: (any RemoteClient)?
        /// Whether browsers get the inspector page at `/`.
        var hasInspector = true
        /// Whether the resources of operators are on a listener of their own.
        var hasOperatorPort = false
        /// The longest time that a response is held for `Prefer: wait`.
        var maxWait = Duration.seconds(60)
        /// Shows other nodes that this is one of them; nil outside of a cluster.
        var node: NodeIdentity?
        /// How long the sessions of a node that has died stay with it.
        var lease = Duration.seconds(5)
        var peerLimits = Peer.Limits()
        /// Counts what waits for slow clients.
        var output = OutputBudget(limit: .max)
        /// Counts what unfinished requests hold.
        var input = InputBudget(limit: .max)
    }

    let sessions: SessionAPI
    let actions: ActionAPI
    let reads: ReadAPI
    let streams: StreamAPI
    let shares: ShareAPI
    let admin: AdminAPI
    let meta: MetaAPI

    let access: SessionAccess
    let gate: Gate
    /// Nil unless clients have tokens.
    let tokens: TokenAuthenticator?
    let availability: Availability
    let registry: SessionRegistry
    let pool = WorkPool()
    /// Nil if all sessions are in memory.
    let timers: TimerWaker?
    let journal: (any Journal)?
    let basePath: BasePath
    let origins: OriginPolicy
    let hosts: AllowedHosts
    let limits: RateLimits
    let log: Log
    let metrics = ServerMetrics()
    let recorder: RequestRecorder
    let kinds: [KindRuntime]
    private let clock: WallClock
    private let connectionLimit = Locked(MinuteCount())
    let output: OutputBudget
    let input: InputBudget
    /// Nil outside of a cluster.
    let forwarder: Forwarder?
    let handovers: Handovers?
    let additionalMetrics: (@Sendable (inout PrometheusWriter) -> Void)?

    init(
        _ kinds: [StoreKind], _ settings: Settings, journal: (any Journal)?, sealer: (any SecretSealer)?,
        memory: MemoryLimit, clock: WallClock, log: Log,
        additionalMetrics: (@Sendable (inout PrometheusWriter) -> Void)?
    ) {
        basePath = settings.basePath
        self.journal = journal
        self.log = log
        let clock = clock.shared(journal?.sharedTime)
        self.clock = clock
        output = settings.output
        input = settings.input
        self.additionalMetrics = additionalMetrics
        origins = OriginPolicy(settings.allowedOrigins, behind: settings.trustedProxies)
        hosts = settings.allowedHosts
        recorder = RequestRecorder(
            metrics, log, settings.loggedRequests, below: settings.basePath, behind: settings.trustedProxies)
        limits = RateLimits(settings.rateLimits, behind: settings.trustedProxies, clock: clock)
        availability = Availability(journal, memory)
        registry = SessionRegistry(
            settings.sessions, journal: journal, clock: clock, basePath: settings.basePath.text,
            node: settings.node?.name, events: metrics.sessions)
        journal?.observeTransactions { [metrics] in metrics.storageWritten(in: $0) }
        let runtimes = kinds.map { [metrics, registry] in
            KindRuntime(
                $0, clock: registry.clock, sealer: sealer, limits: settings.limits, log: log, effects: metrics.effects)
        }
        self.kinds = runtimes
        var builder = SessionBuilder(
            runtimes, defaultStore: settings.defaultStore, journal, streamEpoch: settings.streamEpoch, log)
        builder.historySuffix = { [registry] in registry.historySuffix }
        let forwarder = settings.node.map { node in
            Forwarder(
                node,
                Forwarder.Settings(
                    lease: settings.lease, maxWait: settings.maxWait, streams: settings.streams,
                    proxies: settings.trustedProxies, limits: settings.peerLimits),
                clock, log)
        }
        self.forwarder = forwarder
        let handovers = forwarder.map { [registry] in Handovers(registry, $0, log) }
        self.handovers = handovers
        builder.handovers = handovers
        let loader = journal.map { [registry, builder] in SessionLoader($0, registry, restore: builder.restore) }
        let creator = SessionCreator(registry: registry, builder: builder, log: log)
        let locator = loader.map { [registry, availability] in
            SessionLocator(registry, $0, forwarder, handovers, availability)
        }
        let access = SessionAccess(
            registry, locator, PersonalSessions(creator, locator, journal, availability, limits), handovers,
            chain: Self.chain(
                to: SessionService(registry, creator, clock: clock), limits, pool, memory, clock: registry.clock))
        self.access = access
        if let journal, let loader, journal.outlivesProcess {
            timers = TimerWaker(registry, loader, journal, clock: clock)
        } else {
            timers = nil
        }
        let clientSealer = ClientSealer(secret: settings.secret ?? journal?.secret ?? Self.randomSecret)
        sessions = SessionAPI(access, availability, creator, limits)
        shares = ShareAPI(
            access: access, availability: availability, sealer: clientSealer, basePath: settings.basePath.text)
        actions = ActionAPI(access, availability, maxWait: settings.maxWait)
        reads = ReadAPI(access: access)
        streams = StreamAPI(
            access, availability, pool, settings.streams, clock: registry.clock, metrics, recorder)
        admin = AdminAPI(access, registry, sessions, journal: journal, forwarder, pool, clientSealer)
        tokens = settings.tokenVerifier.map {
            TokenAuthenticator($0, keySet: settings.keySetClient, clock: clock, log: log)
        }
        gate = Gate(adminToken: settings.adminToken, clientSealer, tokens, clock: clock)
        meta = MetaAPI(
            CachedDocuments(
                kinds, defaultStore: settings.defaultStore, basePath: settings.basePath.text,
                hasInspector: settings.hasInspector, hasOperatorPort: settings.hasOperatorPort,
                usesTokens: settings.tokenVerifier != nil),
            availability,
            hasInspector: settings.hasInspector)
    }

    var isDraining: Bool { availability.isDraining }

    /// The handlers that a request to a session passes, the outermost first.
    private static func chain(
        to service: SessionService, _ limits: RateLimits, _ pool: WorkPool, _ memory: MemoryLimit, clock: SessionClock
    ) -> any SessionHandler {
        let durability = Durability(next: service)
        let largeStates = LargeStates(pool, memory, next: durability)
        let waiting = Waiting(next: largeStates)
        let idempotency = Idempotency(clock: clock, next: waiting)
        let admission = ActionAdmission(limits: limits, pool: pool, next: idempotency)
        return ShareView(next: admission)
    }

    private static var randomSecret: [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }

    /// Logs that there are as many connections as may be, once a minute at most.
    ///
    /// - Parameter closed: how many idle connections were closed to make room.
    func connectionLimitReached(closing closed: Int) {
        guard let closed = connectionLimit.withLock({ $0.add(closed, now: clock.steady()) }) else { return }
        log.warning(
            "connection limit reached",
            [
                .init("closed", closed),
                .init(
                    "detail",
                    "idle connections are closed for new ones; raise http.maxConnections or the limit on open files, "
                        + "or limit the connections of each client in front of the server"),
            ])
    }

    /// Logs how many sessions have expired, once a minute at most.
    ///
    /// - Parameter isLast: whether the server stops.
    func logExpirations(isLast: Bool = false) {
        registry.expirations.write(to: log, now: registry.clock.now(), isLast: isLast)
    }

    /// Finds out whether other nodes can reach this one, once it has a lease.
    func checkOwnAddress(on loop: any EventLoop) {
        guard let forwarder, forwarder.isAlive, forwarder.ownAddress.beginCheck() else { return }
        loop.execute { [self] in
            OwnAddressCheck(
                forwarder.ownAddress, at: forwarder.identity.name, target: "\(basePath.text)/healthz",
                every: forwarder.lease, forwarder.waits, on: loop, availability, log
            ).ask()
        }
    }

    /// Looks whether the memory limit is reached, and logs each change. Not on an event loop.
    func updateMemory() {
        let wasExhausted = availability.memory.isExhausted
        availability.memory.update()
        let isExhausted = availability.memory.isExhausted
        guard isExhausted != wasExhausted else { return }
        if isExhausted {
            log.error("memory limit reached; creations, forks and large actions are refused")
        } else {
            log.info("memory is below its limit again")
        }
    }
}

/// Adds up what happens often, for one line in the log a minute.
package struct MinuteCount: Sendable {
    private var count = 0
    private var reportsAt: Int?

    package init() {}

    /// - Parameter now: in milliseconds.
    /// - Returns: the sum since the last report, if it is time for the next one.
    package mutating func add(_ count: Int, now: Int) -> Int? {
        self.count += count
        if let reportsAt, now < reportsAt { return nil }
        reportsAt = now + 60_000
        defer { self.count = 0 }
        return self.count
    }
}

/// Whether the server takes new work: it is not shutting down, its storage can be written, and it has memory left.
final class Availability: Sendable {
    let memory: MemoryLimit
    private let draining = Atomic(false)
    // Not the journal: each call would copy it.
    private let isStorageAvailable: @Sendable () -> Bool
    private let sharedTime: SharedTime?

    init(_ journal: (any Journal)?, _ memory: MemoryLimit) {
        sharedTime = journal?.sharedTime
        isStorageAvailable = if let journal { { journal.isAvailable } } else { { true } }
        self.memory = memory
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Refuses new work from now on.
    func drain() { draining.store(true, ordering: .relaxed) }

    /// Requires that the server may commit something new.
    func requireWritable() throws(SessionFailure) {
        try requireServing()
        try requireStorage()
    }

    /// Requires that the server may commit something new, and has memory for it.
    func requireRoom() throws(SessionFailure) {
        try requireWritable()
        try memory.requireRoom()
    }

    func requireServing() throws(SessionFailure) {
        guard isDraining else { return }
        throw .unavailable(.draining)
    }

    /// Requires that the server should get requests.
    func requireReady() throws(SessionFailure) {
        try requireWritable()
        guard let problem = sharedTime?.problem() else { return }
        throw .unavailable(.clock(problem))
    }

    func requireStorage() throws(SessionFailure) {
        guard isStorageAvailable() else { throw .unavailable(.storage(.unavailable(""))) }
    }
}

extension Response {
    /// A JSON document with its revision, if it has one. It ends with a newline.
    package static func document(
        _ json: [UInt8], _ status: HTTPStatus = .ok, revision: RevisionTag? = nil, fields: [Field] = []
    ) -> Response {
        Response(
            status, fields: fields.isEmpty ? documentFields : documentFields + fields, revision: revision, body: json)
    }

    private static let documentFields = [
        Field("Content-Type", "application/json"), Field("X-Content-Type-Options", "nosniff"),
    ]
}
