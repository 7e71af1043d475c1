import HTTPServer
import Observability
import RemoteServices
import Sessions
import Sockets
import StoreHosting

/// The parts of a server in front of its listeners, as the configuration says.
struct ServerParts: Sendable {
    let api: API
    let group: EventLoopGroup
    let memory: MemoryLimit
    let traffic = HTTPTraffic()
    let lag: LoopLag
    let http: HTTPServer.Settings
    /// Nil if the keys of tokens are in no files.
    let publicKeys: PublicKeyFiles?
    let hasAdministration: Bool
    /// How often expired sessions are looked for, in milliseconds.
    let sweepInterval: Int

    /// - Parameters:
    ///   - addresses: those that the server will listen on; none without a listener.
    ///   - memory: nil for the limit that the configuration says.
    init(
        kinds: [StoreKind], configuration: Configuration, journal: (any Journal)?, sealer: (any SecretSealer)?,
        keySetClient: (any RemoteClient)?, clock: WallClock, log: Log,
        additionalMetrics: (@Sendable (inout PrometheusWriter) -> Void)?, listeningOn addresses: [SocketAddress],
        loopCount: Int, loops: LoopImplementation, memory: MemoryLimit?
    ) throws {
        group = try EventLoopGroup(count: loopCount, implementation: loops)
        (journal as? any EventLoopUser)?.use(group.loops)
        lag = LoopLag(group.loops)
        let memory = memory ?? MemoryLimit(ProcessMemory.limit(configured: configuration.memory.limit))
        self.memory = memory
        var settings = configuration.apiSettings(kinds, journal, listeningOn: addresses)
        settings.output = OutputBudget(limit: memory.bufferLimit(configuration.http.outputBudget))
        settings.input = configuration.http.inputBudget(within: memory)
        publicKeys = PublicKeyFiles(configuration.access, log)
        settings.tokenVerifier = try configuration.access.tokenVerifier()
        settings.keySetClient = keySetClient
        settings.secret = configuration.clientSecret
        sweepInterval = settings.sessions.sweepInterval
        hasAdministration = !settings.adminToken.isEmpty || settings.tokenVerifier != nil
        http = configuration.httpSettings(of: settings, on: loops, traffic)
        api = API(
            kinds, settings, journal: journal, sealer: sealer, memory: memory, clock: clock, log: log
        ) { [traffic, lag] text in
            traffic.write(into: &text)
            lag.write(into: &text)
            additionalMetrics?(&text)
        }
    }
}

extension HTTPTraffic {
    fileprivate func write(into text: inout PrometheusWriter) {
        text.gauge("storehouse_connections", "Open connections.", connections)
        text.gauge("storehouse_requests_in_flight", "Requests that wait for their responses.", awaitedResponses)
        let bytes = [("in", receivedBytes), ("out", sentBytes)]
        for (direction, count) in bytes {
            text.counter(
                "storehouse_http_bytes_total", "Bytes from and for clients, heads and streams included.", count,
                labels: [("direction", direction)])
        }
    }
}
