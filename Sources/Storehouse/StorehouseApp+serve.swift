import Journal
import Observability
import RemoteServices
import Security
import Upstream

extension StorehouseApp {
    /// Serves the kinds until a signal arrives, then drains.
    func serve(_ configuration: StorehouseConfiguration, printsAdminToken: Bool) async throws {
        var configuration = configuration
        if printsAdminToken { configuration.server.admin.makeToken() }
        let kinds = kinds
        try configuration.server.check(kinds)
        let log = Log(configuration.server.log)
        StorehouseServer.installSignalHandlers(configuration.server, log)
        let remotes = try Remotes(configuration, log)
        let journal = try configuration.server.journal(log)
        log.info(configuration.server.storageSummary)
        for problem in configuration.server.storageWarnings { log.warning("\(problem.path ?? "") \(problem.detail)") }
        let redis = (journal as? RedisJournal).map(RedisMetrics.init)
        let server = try StorehouseServer(
            kinds: kinds.map { $0.connected(to: remotes.clients) }, configuration: configuration.server,
            journal: journal, sealer: try configuration.server.storage.sealer(), keySet: remotes.keySet,
            metrics: { metrics in
                remotes.writeMetrics(into: &metrics)
                redis?.write(into: &metrics)
            })
        let token = configuration.server.admin.token
        try await server.run { _ in
            if printsAdminToken, let token { Console.print(token.text) }
        } lastStep: {
            await remotes.stop()
        }
    }

    /// Prints the configuration that `serve` would use, or throws the errors that it would report.
    func check(_ configuration: StorehouseConfiguration) throws {
        try configuration.server.check(kinds)
        _ = try configuration.server.storage.sealer()
        let curl = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        for service in configuration.services {
            _ = try curl.client(of: service, configuration, demoURL: "http://127.0.0.1")
        }
        for notice in configuration.notices { Console.printError("\(notice.level.rawValue): \(notice.text)") }
        Console.print(configuration.document)
    }
}

/// The clients of the services that a configuration names, and the demo services of those without a URL.
private struct Remotes: Sendable {
    let clients: RemoteClients
    /// Fetches `access.jwksURL`; nil if it is not set.
    let keySet: CurlClient?
    private let curl: CurlUpstreams
    private let curlClients: [CurlClient]
    private let demo: DemoUpstreamServer?

    init(_ configuration: StorehouseConfiguration, _ log: Log) throws {
        let embedded = configuration.embeddedServices
        let demo =
            embedded.isEmpty
            ? nil : try DemoUpstreamServer(embedded, maxDelay: configuration.server.upstreams.maxDelay)
        let curl = try CurlUpstreams(
            library: CurlLibrary { log.error($0) }, userAgent: StorehouseVersion.userAgent
        ) { log.write($0) }
        self.demo = demo
        self.curl = curl
        keySet = try configuration.server.access.jwksURL.map { url in
            var settings = UpstreamSettings(name: "access.jwks", url: url)
            // The answer decides who may use what.
            settings.followsToOtherOrigins = false
            return try curl.client(for: settings)
        }
        let clients = try configuration.services.map { service in
            try curl.client(of: service, configuration, demoURL: demo?.url ?? "")
        }
        let names = configuration.services.map(\.name)
        curlClients = clients + (keySet.map { [$0] } ?? [])
        self.clients = RemoteClients(
            Dictionary(zip(names, clients)) { first, _ in first },
            settings: Dictionary(names.map { ($0, configuration[upstream: $0].own.values) }) { first, _ in first })
    }

    func writeMetrics(into metrics: inout PrometheusWriter) {
        for client in curlClients { client.metrics.write(into: &metrics) }
    }

    func stop() async {
        await curl.shutdown()
        await demo?.stop()
    }
}

extension CurlUpstreams {
    /// A client, or the error in the configuration of its service.
    ///
    /// - Parameter demoURL: the server of the services that have no URL.
    fileprivate func client(
        of service: RemoteService, _ configuration: StorehouseConfiguration, demoURL: String
    ) throws(ConfigurationError) -> CurlClient {
        do throws(UpstreamConfigurationError) {
            let settings = UpstreamSettings(
                service.name, configuration[upstream: service.name], "\(demoURL)/\(service.demoPath)")
            return try client(for: settings)
        } catch {
            throw ConfigurationError(problems: [
                ConfigurationProblem(path: "upstreams.\(service.name)", detail: error.description)
            ])
        }
    }
}

extension UpstreamSettings {
    fileprivate init(_ name: String, _ endpoint: UpstreamConfiguration, _ demoURL: String) {
        self.init(name: name, url: endpoint.url ?? demoURL, headers: endpoint.headers.mapValues(\.text))
        timeout = endpoint.timeout
        retries = endpoint.retries
        maxConcurrent = endpoint.maxConcurrent
        maxWaiting = endpoint.maxWaiting
        maxBodyBytes = endpoint.maxBodyBytes
        maxHeaderBytes = endpoint.maxHeaderBytes
        lowSpeedBytes = endpoint.lowSpeed.bytes
        lowSpeedTime = endpoint.lowSpeed.time
        caFile = endpoint.caFile
        clientCertificate = endpoint.clientCertificate
        clientKey = endpoint.clientKey
        clientKeyPassword = endpoint.clientKeyPassword?.text
        denyPrivate = endpoint.denyPrivate && endpoint.url != nil
        breakerFailures = endpoint.breaker.failures
        breakerCooldown = endpoint.breaker.cooldown
    }
}

// What storage and remote services report, as log lines and as metrics.
extension Log {
    func write(_ event: StorageEvent) {
        switch event {
        case .upgrading(let old, let new):
            info("upgrading the storage file", [.init("from", old), .init("to", new)])
        case .failed(let detail):
            error(
                "storage cannot be written; check that storage.path is writable and has space",
                [.init("detail", detail)])
        case .replaced(let detail): error(StorageEvent.replacement, [.init("detail", detail)])
        case .overwritten(let detail): error(StorageEvent.overwriting, [.init("detail", detail)])
        case .disconnected(let detail):
            error("Redis cannot be used; commits wait or are refused until it can be used", [.init("detail", detail)])
        case .lostCommits: error("Redis has lost commits that were acknowledged, or may have; event ids change")
        case .refused(let detail): error("Redis must not be used by this process", [.init("detail", detail)])
        case .addressTaken(let address):
            error(
                "another node that is alive has the same cluster.address; give each its own",
                [.init("address", address)])
        case .clockDiffers(let detail):
            error(
                "the clocks of this node and of Redis differ; synchronize both: until then this node is not ready, and deletes nothing "
                    + "because of its age",
                [.init("detail", detail)])
        case .clockAgrees: warning("the clocks of this node and of Redis agree again")
        case .recovered: warning("storage can be written again")
        case .damaged(let session, let detail):
            error(
                "the rows of a session are damaged; it cannot be used",
                [.init("session", Fingerprint.of(session)), .init("detail", detail)])
        }
    }

    /// Writes a line about a remote call, without its address and its body.
    func write(_ event: UpstreamEvent) {
        switch event {
        case .attempt(let upstream, let method, let number, let outcome, let duration):
            let fields = [
                LogField("upstream", upstream), .init("method", method), .init("attempt", number),
                .init("seconds", duration),
            ]
            // A failed call is a line of its effect.
            switch outcome {
            case .answered(let status): debug("upstream call", fields + [.init("status", status)])
            case .failed(let code, let library):
                let cause = library.map { [LogField("curl", $0)] } ?? []
                debug("upstream call failed", fields + [.init("code", code.rawValue)] + cause)
            }
        case .trustReplaced(let upstream):
            info("certificates were replaced, and are read again", [.init("upstream", upstream)])
        case .trustUnusable(let upstream, let reason):
            warning(
                "replaced certificates cannot be used; the old ones stay",
                [.init("upstream", upstream), .init("detail", reason)])
        case .circuit(let upstream, let circuit):
            let fields = [LogField("upstream", upstream), .init("circuit", circuit.rawValue)]
            circuit == .open ? warning("circuit", fields) : info("circuit", fields)
        }
    }
}

extension UpstreamMetricsSnapshot {
    func write(into metrics: inout PrometheusWriter) {
        let labels = [("upstream", name)]
        metrics.counter("storehouse_upstream_calls_total", "Calls of remote services.", calls, labels: labels)
        metrics.counter("storehouse_upstream_retries_total", "Retries of calls.", retries, labels: labels)
        for (digit, count) in answers.sorted(by: { $0.key < $1.key }) {
            metrics.counter(
                "storehouse_upstream_answers_total", "Responses of remote services, by status.", count,
                labels: labels + [("status", "\(digit)xx")])
        }
        for (code, count) in failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            metrics.counter(
                "storehouse_upstream_failures_total", "Failed calls of remote services, by code.", count,
                labels: labels + [("code", code.rawValue)])
        }
        for circuit in Circuit.allCases {
            metrics.gauge(
                "storehouse_upstream_circuit", "1 for the state of the circuit breaker, 0 for the others.",
                circuit == self.circuit ? 1 : 0, labels: labels + [("state", circuit.rawValue)])
        }
        metrics.gauge(
            "storehouse_upstream_calls_in_flight", "Calls of remote services under way.", inFlight, labels: labels)
        metrics.gauge(
            "storehouse_upstream_calls_waiting", "Calls that wait because too many are under way.", waiting,
            labels: labels)
        metrics.histogram(
            "storehouse_upstream_call_seconds", "Duration of calls of remote services.",
            bounds: LatencyHistogram.bounds, counts: latency.counts, sum: latency.sum, labels: labels)
    }
}
