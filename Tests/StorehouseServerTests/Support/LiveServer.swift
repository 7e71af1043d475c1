import Journal
import Locks
import Observability
import RemoteServices
import Sessions
import Sockets
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import StoresTesting

/// The real server on a free port, for as long as a test runs.
struct LiveServer: TestServing {
    let running: RunningServer
    let log: LogLines

    var port: Int { running.port }

    /// All tests start at once, and a machine that runs hundreds of servers does nothing in time.
    private static let gate = Gate(places: 8)

    /// Serves while `body` runs, then drains, whatever came of it.
    ///
    /// - Parameters:
    ///   - animal, auth: the remote services; without one, calls are held for ever.
    ///   - journal: where sessions rest; in memory where nil.
    ///   - kinds: what is hosted; all kinds of the project where nil.
    static func run<Result: Sendable>(
        animal: any RemoteClient = ScriptedRemoteClient(), auth: any RemoteClient = ScriptedRemoteClient(),
        kinds: [StoreKind]? = nil, clock: WallClock = WallClock(),
        loops: LoopImplementation = .preferred,
        configuration: Configuration = .with(), journal: (any Journal)? = nil, sealer: (any SecretSealer)? = nil,
        keySet: (any RemoteClient)? = nil, logging level: LogLevel = .debug, memory: MemoryLimit? = nil,
        _ body: (LiveServer) async throws -> Result
    ) async throws -> Result {
        try await gate.pass {
            let clients = RemoteClients(["animal": animal, "auth": auth])
            let log = LogLines()
            let running = try StorehouseServer(
                kinds: kinds ?? StoreKind.all.map { $0.connected(to: clients) }, configuration: configuration,
                journal: journal ?? MemoryJournal(keepCommits: configuration.storage.keepCommits), sealer: sealer,
                keySet: keySet
            )
            .start(
                clock: clock, log: Log(level: level, format: configuration.log.format, sink: log), loops: loops,
                memory: memory)
            let server = LiveServer(running: running, log: log)
            do {
                let result = try await body(server)
                await running.drain()
                return result
            } catch {
                await running.drain()
                throw error
            }
        }
    }

    func client(receiveBuffer: Int32?) throws -> TestClient {
        try TestClient(port: port, receiveBuffer: receiveBuffer)
    }
}

extension LiveSession {
    /// The server of a session that is not in memory.
    var liveServer: LiveServer {
        guard let server = server as? LiveServer else { preconditionFailure("the session is in memory") }
        return server
    }
}

extension Configuration {
    /// A configuration for tests on a free port, with some values changed.
    ///
    /// No test should meet the end of a time that it has not set itself, however slow the machine is.
    static func with(_ change: (inout Configuration) -> Void = { _ in }) -> Configuration {
        var configuration = Configuration()
        configuration.http.port = 0
        configuration.http.threads = 2
        configuration.http.headerTimeout = .seconds(3600)
        configuration.http.bodyTimeout = .seconds(3600)
        configuration.http.minBodyRate = 0
        configuration.http.idleTimeout = .seconds(3600)
        configuration.http.maxWait = .seconds(3600)
        configuration.http.drainTimeout = .seconds(Wire.waitTimeout)
        configuration.streams.heartbeat = .seconds(3600)
        configuration.cluster.lease = .seconds(60)
        change(&configuration)
        return configuration
    }
}
