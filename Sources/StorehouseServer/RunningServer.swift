import HTTP
import HTTPServer
import Locks
import Observability
import Platform
import RemoteServices
import Sessions
package import Sockets
import StoreHosting

/// A server that listens until it is drained.
package final class RunningServer: Sendable {
    /// For example `http://127.0.0.1:8080`; with the base path, if there is one.
    package let url: String
    package var port: Int { Int(http.address.port) }

    /// How many sessions are in memory.
    package var residentSessions: Int { api.registry.residentCount }

    /// Whether the index of owners and members has all stored sessions.
    package var membersAreChecked: Bool { api.memberCheck.isDone }

    /// The port of `/metrics` and `/admin`.
    package var operatorPort: Int { Int((operators?.http ?? http).address.port) }

    /// Handles requests that come in another way than by a listener.
    package var router: Router { Router(api) }

    /// One of those on which clients are answered.
    package var loop: any EventLoop { group.loops[0] }

    let group: EventLoopGroup
    private let http: HTTPServer
    /// The listener of `metrics.port`. It has a loop of its own, so that it answers even if all others are stuck.
    private let operators: (group: EventLoopGroup, http: HTTPServer)?
    private let lag: LoopLag
    let api: API
    private let configuration: Configuration
    private let log: Log
    /// Nil if nothing is stored that an earlier process has written.
    private let stateCheck: Task<Void, Never>?

    init(
        kinds: [StoreKind], configuration: Configuration, journal: (any Journal)?, sealer: (any SecretSealer)?,
        keySetClient: (any RemoteClient)?, clock: WallClock, log: Log,
        additionalMetrics: (@Sendable (inout PrometheusWriter) -> Void)?,
        loops: LoopImplementation, memory: MemoryLimit?
    ) throws {
        self.configuration = configuration
        self.log = log
        let listeners = try ClientListeners(
            configuration.http, inherited: ListeningSocket.inherited { getenv($0).map { String(cString: $0) } })
        let parts = try ServerParts(
            kinds: kinds, configuration: configuration, journal: journal, sealer: sealer, keySetClient: keySetClient,
            clock: clock, log: log, additionalMetrics: additionalMetrics, listeningOn: listeners.addresses,
            loopCount: configuration.http.loopCount, loops: loops, memory: memory)
        (api, group, lag) = (parts.api, parts.group, parts.lag)
        do {
            operators = try configuration.operators(api, parts.memory, parts.traffic, loops)
            http = try configuration.listener(on: listeners, group, parts.http, api, beside: operators?.group)
        } catch {
            group.stop {}
            throw error
        }
        stateCheck = api.checkStoredStates()
        url = "http://\(http.address)\(configuration.http.basePath)"
        beginUpkeep(sweepInterval: parts.sweepInterval, parts.publicKeys)
        lag.start()
        announce(hasAdministration: parts.hasAdministration)
    }

    private func announce(hasAdministration: Bool) {
        log.announce("listening on \(url)")
        for other in http.names.dropFirst() {
            let isFile = other.hasPrefix("unix:")
            log.announce("also listening on " + (isFile ? other : "http://\(other)\(configuration.http.basePath)"))
        }
        if let operators { log.announce("metrics and administration on http://\(operators.http.address)") }
        if !hasAdministration {
            log.announce(
                "/admin is off; set admin.token (STOREHOUSE_ADMIN_TOKEN) to switch it on, or start it in a terminal with "
                    + "--print-admin-token")
        }
    }

    /// Ends streams with `closed`, answers the requests in progress, waits for the remote calls under way and commits their
    /// results, closes the journal, and stops the loops.
    ///
    /// Returns within `http.drainTimeout`. A step that does not end by its deadline is logged and left behind.
    ///
    /// - Parameter lastStep: what else ends with the server; it counts towards the time.
    package func drain(lastStep: @escaping @Sendable () async -> Void = {}) async {
        log.info("draining")
        api.availability.drain()
        let schedule = DrainDeadlines(configuration.http)
        let (inProgress, calls) = (Promise<Void>(), Promise<Void>())
        let connections = Task {
            await step("connections", until: schedule.connections) { [self] in
                await drainConnections(schedule, answered: inProgress, callsEnded: calls)
            }
            inProgress.fulfill(())
        }
        if !api.sharesSessions {
            await inProgress.value()
        } else {
            // Other nodes continue the sessions as soon as this one has given them back. What clients still send or read is not
            // about sessions that this node has, unless these wait for calls.
            _ = await finishes(by: .now + Self.releaseTime) { await inProgress.value() }
        }
        await awaitCalls(schedule)
        calls.fulfill(())
        // A request must not load a session that the journal does not write any more.
        if !api.sharesSessions { await connections.value }
        stateCheck?.cancel()
        await step("journal", until: schedule.journal) { [api, stateCheck] in
            await stateCheck?.value
            await api.closeSessions()
        }
        await connections.value
        await step("upstreams", until: schedule.upstreams, lastStep)
        await step("loops", until: schedule.loops) { [group, operators] in
            await group.stop()
            await operators?.group.stop()
        }
        log.info("stopped")
    }

    /// Answers the requests in progress, and those on new connections for as long as calls are awaited.
    ///
    /// - Parameters:
    ///   - answered: is fulfilled when no connection is left of those that were open.
    ///   - callsEnded: is fulfilled when nothing more is awaited of new connections.
    private func drainConnections(
        _ schedule: DrainDeadlines, answered: Promise<Void>, callsEnded: Promise<Void>
    ) async {
        let streamTime = !api.sharesSessions ? nil : Self.releaseTime / 2
        await http.drain(within: configuration.http.disconnectAfter, streamTime: streamTime)
        answered.fulfill(())
        _ = await finishes(by: schedule.calls) { await callsEnded.value() }
        await http.stopListening()
        // Last, so that the drain can be watched.
        await operators?.http.drain(within: .milliseconds(5))
        await operators?.http.stopListening()
    }

    private func awaitCalls(_ schedule: DrainDeadlines) async {
        let calls = DrainingCalls(of: api.registry, until: schedule.calls) { session in
            session.runtime.transfer?.giveBack(session) ?? false
        }
        await step("calls", until: schedule.connections) { [log] in
            let count = await calls.ended()
            guard count > 0 else { return }
            log.warning("remote calls did not end in time, and are interrupted", [.init("sessions", count)])
        }
    }

    private func step(
        _ name: String, until deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async -> Void
    ) async {
        if await !finishes(by: deadline, body) {
            log.error("a step of the drain did not end in time", [.init("step", name)])
        }
    }

    /// How long a node among others keeps its sessions.
    private static let releaseTime = Duration.milliseconds(500)
}

/// When each step of a drain must have ended, so that all of them together keep `http.drainTimeout`.
///
/// A step that ends early leaves its time to the next. Connections are closed, and calls given up, before their step's deadline;
/// the rest of the time is for closing the journal, most of it, and for stopping what has no work left.
struct DrainDeadlines: Sendable {
    let calls: ContinuousClock.Instant
    let connections: ContinuousClock.Instant
    let journal: ContinuousClock.Instant
    let upstreams: ContinuousClock.Instant
    let loops: ContinuousClock.Instant

    init(_ http: Configuration.Http, from start: ContinuousClock.Instant = .now) {
        let disconnect = start + http.disconnectAfter
        let rest = http.drainTimeout - http.disconnectAfter
        calls = disconnect
        connections = disconnect + rest * 0.2
        journal = disconnect + rest * 0.7
        upstreams = disconnect + rest * 0.8
        loops = disconnect + rest * 0.9
    }
}

/// Waits for `body` until a deadline.
///
/// - Returns: false if `body` has not ended by then. It goes on by itself, because work that is stuck cannot be cancelled.
func finishes(by deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async -> Void) async -> Bool {
    let result = Promise<Bool>()
    let timer = Task {
        try? await Task.sleep(until: deadline, clock: .continuous)
        result.fulfill(false)
    }
    Task {
        await body()
        result.fulfill(true)
        timer.cancel()
    }
    return await result.value()
}

extension Configuration {
    /// Starts the server for clients.
    ///
    /// - Parameter operators: the loop of the listener of `metrics.port`, which is stopped if this one cannot start; nil if there is none.
    fileprivate func listener(
        on listeners: ClientListeners, _ group: EventLoopGroup, _ settings: HTTPServer.Settings, _ api: API,
        beside operators: EventLoopGroup?
    ) throws -> HTTPServer {
        do {
            let router = Router(api, for: operators == nil ? .everybody : .clients)
            let sockets = try listeners.open(count: group.loops.count, unacknowledgedTime: settings.idleTimeout)
            return HTTPServer(group, settings: settings, handler: router, listeningOn: sockets)
        } catch {
            operators?.stop {}
            throw error
        }
    }

    /// Starts the listener of `metrics.port`, if it has a port of its own.
    fileprivate func operators(
        _ api: API, _ memory: MemoryLimit, _ traffic: HTTPTraffic, _ loops: LoopImplementation
    ) throws -> (group: EventLoopGroup, http: HTTPServer)? {
        guard metrics.port != 0 else { return nil }
        let addresses = try SocketAddress.listening(host: http.host, port: UInt16(metrics.port))
        let group = try EventLoopGroup(count: 1, implementation: loops)
        // Its requests are short and few.
        let settings = http.serverSettings(
            on: loops, OutputBudget(limit: memory.bufferLimit(http.outputBudget)), InputBudget(limit: 4 << 20), traffic)
        do {
            let server = try HTTPServer(
                on: addresses, group, settings: settings, handler: Router(api, for: .operators))
            return (group, server)
        } catch {
            group.stop {}
            throw ListenError("metrics.port", "\(http.host):\(metrics.port)", error)
        }
    }
}
