import HTTPServer
// The log and the metrics are in the interface of a server.
package import Observability
package import RemoteServices
package import Sessions
package import Sockets
package import StoreHosting
import Stores

/// A server for your own kinds of store, as a part of a program. `StorehouseApp` of module Storehouse is a whole program,
/// with storage, remote services and a command line.
///
///     try await StorehouseServer(kinds: [.store("counter", Counter.self)]).run()
package struct StorehouseServer: Sendable {
    private let kinds: [StoreKind]
    private let configuration: Configuration
    private let journal: (any Journal)?
    private let sealer: (any SecretSealer)?
    private let keySetClient: (any RemoteClient)?
    private let additionalMetrics: (@Sendable (inout PrometheusWriter) -> Void)?
    private let log: Log?

    /// A server of these kinds.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of store that sessions can have. If `sessions.defaultStore` is not set and no kind is named `app`,
    ///     the first is the default.
    ///   - configuration: nil to read it from file and environment.
    ///   - journal: stores the commits; for example a `MemoryJournal` or `SQLiteJournal` of module Journal. Without one there
    ///     is no action log. One that outlives the process is required if `storage.kind` is not `memory`.
    ///   - sealer: encrypts the secrets in the journal; for example an `AESSealer` of module Security. Without one, the journal
    ///     stores no secrets. It is required if `storage.key` is set.
    ///   - keySet: fetches `access.jwksURL` with a GET without a target. It is required if that is set.
    ///   - metrics: adds metrics to those of `GET /metrics`.
    ///   - log: nil for one as `log` of the configuration says.
    /// - Throws: all problems of the configuration and of the kinds.
    package init(
        kinds: [StoreKind], configuration: Configuration? = nil, journal: (any Journal)? = nil,
        sealer: (any SecretSealer)? = nil, keySet: (any RemoteClient)? = nil,
        metrics: (@Sendable (inout PrometheusWriter) -> Void)? = nil, log: Log? = nil
    ) throws(ConfigurationError) {
        self.log = log
        self.journal = journal
        self.sealer = sealer
        keySetClient = keySet
        additionalMetrics = metrics
        self.kinds = kinds
        if let configuration {
            self.configuration = configuration
        } else {
            self.configuration = try .load()
        }
        let problems =
            self.configuration.problems(serving: kinds, outlivesProcess: journal?.outlivesProcess == true)
            + self.configuration.problems(with: journal, sealer, keySet)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// Serves until the process gets SIGTERM or SIGINT, then drains and returns.
    ///
    /// Event streams get `closed`, requests in progress are answered, and the journal is closed. This takes `http.drainTimeout`
    /// at most. If a thread that is blocked for good keeps `run()` from returning by then, the process exits with 0. A
    /// second signal ends the process at once, also after `run()` has returned.
    ///
    /// `run()` installs handlers for SIGTERM, SIGINT and SIGHUP, which does nothing, and they stay. It ignores SIGPIPE.
    /// Signal masks stay as they are, so child processes inherit nothing but the ignored SIGPIPE.
    ///
    /// - Throws: ``ConfigurationError``, or the reason why the address cannot be listened on.
    package func run() async throws {
        try await run { _ in
        } lastStep: {
        }
    }

    /// Runs the server, and tells when it listens.
    ///
    /// - Parameters:
    ///   - started: gets the server when it listens.
    ///   - lastStep: the last step of the drain, which counts towards its time.
    package func run(
        started: (RunningServer) -> Void, lastStep: @escaping @Sendable () async -> Void
    ) async throws {
        FileDescriptorLimit.raiseLimit()
        StandardDescriptors.makeSafe()
        configuration.memory.coreDumps ? CoreDumps.allow() : CoreDumps.prevent()
        let log = log ?? Log(configuration.log)
        FaultReport.install(configuration.log.format)
        Self.installSignalHandlers(configuration, log)
        defer { ShutdownSignals.keepProcess() }
        let server = try start(log: log)
        started(server)
        await ShutdownSignals.first()
        await server.drain(lastStep: lastStep)
    }

    /// From here on SIGTERM and SIGINT ask for a drain. ``run()`` does this, too; a program that opens storage first, which may
    /// have to wait for it, does it before that.
    package static func installSignalHandlers(_ configuration: Configuration, _ log: Log) {
        // Before the handlers: a signal may come as soon as they are in place.
        ShutdownSignals.endProcess(after: configuration.http.drainTimeout) {
            log.error("the drain did not end in time; the process exits")
            log.flush()
        }
        ShutdownSignals.install()
    }

    /// Starts to serve, and returns when the server listens.
    package func start(
        clock: WallClock = WallClock(), log: Log? = nil, loops: LoopImplementation = .preferred,
        memory: MemoryLimit? = nil
    ) throws -> RunningServer {
        let log = log ?? self.log ?? Log(configuration.log)
        for notice in configuration.notices { log.write(notice.level, notice.text) }
        return try RunningServer(
            kinds: kinds, configuration: configuration, journal: journal, sealer: sealer,
            keySetClient: keySetClient, clock: clock, log: log, additionalMetrics: additionalMetrics, loops: loops,
            memory: memory)
    }

    /// Makes the server without listeners, for clients in this process.
    package func inMemory(clock: WallClock, log: Log, memory: MemoryLimit? = nil) throws -> InMemoryAPI {
        InMemoryAPI(
            try ServerParts(
                kinds: kinds, configuration: configuration, journal: journal, sealer: sealer,
                keySetClient: keySetClient, clock: clock, log: log, additionalMetrics: additionalMetrics,
                listeningOn: [], loopCount: 1, loops: .dispatchSource, memory: memory))
    }
}
