import Dispatch
import HTTP
import HTTPServer
import Observability
import Sockets
import StoreHosting
import Stores

/// A server that listens, until it is drained.
package final class RunningServer: Sendable {
    /// Where it is reached: `http://127.0.0.1:8080`.
    package let url: String
    package var port: Int { Int(http.address.port) }

    /// How many sessions are in memory.
    package var residentSessions: Int { service.registry.residents }

    private let group: EventLoopGroup
    private let http: HTTPServer
    private let service: Service
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
        var settings = configuration.serviceSettings(kinds)
        let isTokenMade = settings.adminToken.isEmpty
        if isTokenMade { settings.adminToken = "\(SessionID.random())\(SessionID.random())" }
        service = Service(
            kinds, settings, journal: journal, sealer: sealer, clock: clock, log: log,
            moreMetrics: moreMetrics)
        do {
            http = try HTTPServer(
                on: address, group, settings: configuration.http.serverSettings(on: loops),
                handler: Router(service))
        } catch {
            group.stop {}
            throw error
        }
        url = "http://\(http.address)"
        // Expired sessions are ended from time to time; where others can rest, that is looked after more often.
        every(.milliseconds(service.registry.sweepInterval), on: group.loops[0]) { $0.sweep() }
        if configuration.storage.kind != .memory {
            // Not on the loop: thousands may rest at once, and requests wait there.
            let resting = DispatchQueue(label: "sessions.resting")
            every(.milliseconds(500), on: group.loops[0]) { sessions in resting.async { sessions.hibernate() } }
        }
        log.announce("listening on \(url)")
        // Being on loopback proves nothing behind a proxy, so there is always a token.
        if isTokenMade { log.announce("admin token of this run: \(settings.adminToken)") }
    }

    /// Ends streams with a word, answers what is under way, and returns when all is done or the time is up.
    package func drain() async {
        log.info("draining")
        service.drain()
        await http.drain(within: configuration.http.cutAfter)
        service.registry.endAll()
        if let journal = service.journal {
            await withCheckedContinuation { done in journal.close { done.resume() } }
        }
        await group.stop()
        log.info("stopped")
    }

    /// Does something again and again, until the server drains.
    private func every(
        _ interval: Duration, on loop: any EventLoop, _ body: @escaping @Sendable (SessionRegistry) -> Void
    ) {
        loop.execute { [weak self] in
            _ = loop.schedule(after: interval) {
                guard let self, !self.service.isDraining else { return }
                body(self.service.registry)
                self.every(interval, on: loop, body)
            }
        }
    }
}
