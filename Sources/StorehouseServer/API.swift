import Cluster
import Dispatch
import HTTP
import HTTPServer
import Locks
import Observability
import RemoteServices
import Security
import Sessions
import Sockets
import StoreHosting
import Stores
import Synchronization
import Threads

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
        /// Which requests have a line in the log, and how it names their users.
        var logging = Configuration.Logging()
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
        /// Whether `/client.js` is the client for browsers.
        var hasClient = true
        /// Whether the resources of operators are on a listener of their own.
        var hasOperatorPort = false
        /// The longest time that a response is held for `Prefer: wait`.
        var maxWait = Duration.seconds(60)
        /// Proves to other nodes that this is one of them; nil outside of a cluster.
        var node: NodeIdentity?
        /// How long the sessions of a node that has died stay with it.
        var lease = Duration.seconds(5)
        var clusterWaits = ClusterWaits()
        /// Counts what waits for slow clients.
        var output = OutputBudget(limit: .max)
        /// Counts what unfinished requests hold.
        var input = InputBudget(limit: .max)
    }

    let sessions: SessionResource
    let actions: ActionResource
    let sync: SyncResource
    let reads: StateResource
    var actionLog: ActionLogResource { ActionLogResource(access: access) }
    let streams: StreamResource
    let signals: SignalResource
    let shares: ShareResource
    let sessionList: SessionListResource
    let admin: AdminResource
    let meta: ServerResources

    private let engine: SessionEngine
    let gate: Gate
    /// Nil unless clients have tokens.
    let tokens: TokenAuthenticator?
    let journal: (any Journal)?
    let basePath: BasePath
    let origins: OriginPolicy
    let hosts: AllowedHosts
    let rates: ClientRates
    let log: Log
    let metrics = ServerMetrics()
    let recorder: RequestRecorder
    private let clock: WallClock
    private let connectionLimit = Locked(MinuteCount())
    let output: OutputBudget
    let input: InputBudget
    /// Nil outside of a cluster.
    let forwarder: Forwarder?
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
            metrics, log, settings.logging, below: settings.basePath, behind: settings.trustedProxies)
        rates = ClientRates(settings.rateLimits.requests.bucket, behind: settings.trustedProxies, clock: clock)
        let limits = RateLimits(
            sessions: settings.rateLimits.sessions.bucket, actions: settings.rateLimits.actions.bucket, clock: clock)
        journal?.observeTransactions { [metrics] in metrics.storageWritten(in: $0) }
        let forwarder = Self.forwarder(settings, clock, log)
        self.forwarder = forwarder
        engine = SessionEngine(
            kinds, settings, journal: journal, sealer: sealer, memory: memory, forwarder, rates, limits, metrics, clock,
            log)
        let clientSealer = ClientSealer(secret: settings.secret ?? journal?.secret ?? Self.randomSecret)
        let access = engine.access
        sessions = SessionResource(access, engine.creator.builder, rates, log)
        shares = ShareResource(access: access, sealer: clientSealer, clock: clock, basePath: settings.basePath.text)
        actions = ActionResource(access, maxWait: settings.maxWait)
        sync = SyncResource(access)
        reads = StateResource(access: access)
        streams = StreamResource(
            access,
            StreamEnvironment(settings.streams, clock: engine.registry.clock, metrics, recorder))
        signals = SignalResource(access, SignalLimit(settings.rateLimits.signals.bucket, clock))
        let pages = SessionPages(SessionsElsewhere(forwarder), engine.pool, clientSealer)
        sessionList = SessionListResource(engine.subjectSessions, pages)
        admin = AdminResource(access, engine.registry, sessions, journal: journal, pages)
        tokens = settings.tokenVerifier.map {
            TokenAuthenticator($0, keySet: settings.keySetClient, clock: clock, log: log)
        }
        gate = Gate(adminToken: settings.adminToken, clientSealer, tokens, clock: clock)
        meta = ServerResources(kinds, settings.features, engine.availability)
    }

    var access: SessionAccess { engine.access }

    var availability: Availability { engine.availability }

    var registry: SessionRegistry { engine.registry }

    var kinds: [KindRuntime] { engine.kinds }

    /// Milliseconds of a clock that nobody sets.
    var steadyTime: Int { clock.steady() }

    var memberCheck: MemberCheck { engine.memberCheck }

    /// Nil if all sessions are in memory.
    var timers: TimerWaker? { engine.timers }

    /// Nil outside of a cluster.
    var transfer: SessionTransfer? { engine.transfer }

    /// Whether other processes continue the sessions that this one gives back.
    var sharesSessions: Bool { registry.isShared }

    var isDraining: Bool { availability.isDraining }

    /// Writes how several nodes share their sessions.
    func writeOwnership(into text: inout PrometheusWriter) {
        forwarder?.write(into: &text, residents: registry.residentCount)
        transfer?.write(into: &text)
    }

    /// Nil outside of a cluster.
    private static func forwarder(_ settings: Settings, _ clock: WallClock, _ log: Log) -> Forwarder? {
        settings.node.map { node in
            Forwarder(
                node,
                Forwarder.Settings(
                    lease: settings.lease, maxWait: settings.maxWait, streams: settings.streams,
                    proxies: settings.trustedProxies, output: settings.output, waits: settings.clusterWaits),
                clock, log)
        }
    }

    static var randomSecret: [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }

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

    /// Takes what the storage says about the nodes that share it, and about lost sessions.
    func followOwnership(on loop: any EventLoop) {
        let ownership = DispatchQueue(label: "sessions.ownership")
        journal?.observeOwnership { [self] event in
            switch event {
            case .lost: ownership.async { [registry] in registry.evictAll() }
            case .nodes(let alive):
                forwarder?.take(alive)
                checkOwnAddress(on: loop)
            }
        }
    }

    /// Detaches all sessions and closes the journal.
    func closeSessions() async {
        // A session that runs an action without end keeps its lock. Only this thread may wait for it, none of Swift's.
        await withCheckedContinuation { done in
            DispatchQueue(label: "sessions.detach").async { [self] in
                registry.detachAll()
                registry.recordTime(isLast: true)
                logExpirations(isLast: true)
                done.resume()
            }
        }
        await journal?.close()
    }

    /// Finds out whether other nodes can reach this one, once it has a lease.
    private func checkOwnAddress(on loop: any EventLoop) {
        guard let forwarder, forwarder.isAlive, forwarder.ownAddress.beginCheck() else { return }
        loop.execute { [self] in
            OwnAddressCheck(
                forwarder.ownAddress, of: forwarder.identity, every: forwarder.lease, forwarder.waits, on: loop,
                availability, log
            ).ask()
        }
    }

    /// Takes the connections of other nodes; nil outside of a cluster.
    ///
    /// - Parameter handler: gets the requests that they forward.
    func linkAcceptor(_ handler: () -> any RequestHandler) -> LinkAcceptor? {
        forwarder.map { LinkAcceptor($0, handler: handler(), log) }
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
