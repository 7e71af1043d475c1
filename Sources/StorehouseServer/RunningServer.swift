import Dispatch
import HTTP
import HTTPServer
import Observability
import Sockets
import StoreHosting
import Stores

/// A server that listens until it is drained.
package final class RunningServer: Sendable {
    /// For example `http://127.0.0.1:8080`.
    package let url: String
    package var port: Int { Int(http.address.port) }

    /// How many sessions are in memory.
    package var residentSessions: Int { api.registry.residentCount }

    private let group: EventLoopGroup
    private let http: HTTPServer
    private let api: API
    private let configuration: Configuration
    private let log: Log

    init(
        kinds: [StoreKind], configuration: Configuration, journal: (any Journal)?, sealer: (any SecretSealer)?,
        clock: WallClock, log: Log, moreMetrics: (@Sendable (inout PrometheusWriter) -> Void)?,
        loops: LoopImplementation
    ) throws {
        self.configuration = configuration
        self.log = log
        let address = try SocketAddress(host: configuration.http.host, port: UInt16(configuration.http.port))
        group = try EventLoopGroup(count: configuration.http.loopCount, implementation: loops)
        var settings = configuration.apiSettings(kinds, journal)
        let isTokenGenerated = settings.adminToken.isEmpty
        if isTokenGenerated { settings.adminToken = "\(SessionID.random())\(SessionID.random())" }
        api = API(
            kinds, settings, journal: journal, sealer: sealer, clock: clock, log: log, moreMetrics: moreMetrics)
        do {
            http = try HTTPServer(
                on: address, group, settings: configuration.http.serverSettings(on: loops),
                handler: Router(api))
        } catch {
            group.stop {}
            throw error
        }
        url = "http://\(http.address)"
        every(.milliseconds(settings.sessions.sweepInterval), on: group.loops[0]) { $0.sweep() }
        if journal?.outlivesProcess == true {
            // Not on the loop: thousands of sessions may hibernate at once, while requests wait.
            let hibernation = DispatchQueue(label: "sessions.hibernation")
            every(.milliseconds(500), on: group.loops[0]) { sessions in hibernation.async { sessions.hibernate() } }
        }
        log.announce("listening on \(url)")
        // Behind a proxy every client is on loopback, so the token is always required.
        if isTokenGenerated { log.announce("admin token of this run: \(settings.adminToken)") }
    }

    /// Closes streams with an event, answers the requests in progress, and returns when all is done or time is up.
    package func drain() async {
        log.info("draining")
        api.availability.drain()
        await http.drain(within: configuration.http.cutAfter)
        api.registry.detachAll()
        if let journal = api.journal {
            await withCheckedContinuation { done in journal.close { done.resume() } }
        }
        await group.stop()
        log.info("stopped")
    }

    /// Repeats `body` until the server drains.
    private func every(
        _ interval: Duration, on loop: any EventLoop, _ body: @escaping @Sendable (SessionRegistry) -> Void
    ) {
        loop.execute { [weak self] in
            _ = loop.schedule(after: interval) {
                guard let self, !self.api.isDraining else { return }
                body(self.api.registry)
                self.every(interval, on: loop, body)
            }
        }
    }
}
