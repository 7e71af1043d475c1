import Journal
import Observability
import RemoteServices
import Sealing
import Upstream

extension StorehouseApp {
    /// Serves the kinds until a signal arrives, then drains.
    func serve(_ configuration: StorehouseConfiguration) async throws {
        let demo =
            configuration.needsDemoUpstream
            ? try DemoUpstreamServer(maxDelay: configuration.server.upstreams.maxDelay) : nil
        let log = Log(configuration.server.log)
        let curl = try CurlUpstreams(
            library: CurlLibrary { log.error($0) }, userAgent: StorehouseVersion.userAgent
        ) { log.write($0) }
        let journal = try configuration.server.storage.journal(log)
        try await server(configuration, curl, journal, demoURL: demo?.url ?? "").run {
            await curl.shutdown()
            await demo?.stop()
        }
    }

    /// Prints the configuration that `serve` would use, or throws the errors that it would report.
    func check(_ configuration: StorehouseConfiguration) async throws {
        let curl = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        let journal = MemoryJournal(
            keepCommits: configuration.server.storage.keepCommits, keepBytes: configuration.server.storage.keepBytes)
        _ = try server(configuration, curl, journal, demoURL: "http://127.0.0.1")
        await curl.shutdown()
        Console.print(configuration.document)
    }

    /// - Parameter demoURL: the server of the services that have no URL.
    private func server(
        _ configuration: StorehouseConfiguration, _ curl: CurlUpstreams, _ journal: any Journal, demoURL: String
    ) throws -> StorehouseServer {
        let animal = try client("animal", configuration.animal.endpoint, demoURL + "/animal", of: curl)
        let auth = try client("auth", configuration.auth.endpoint, demoURL + "/login", of: curl)
        let sealer = try configuration.server.storage.key.map { try AESSealer(key: $0.bytes) }
        return try StorehouseServer(
            kinds: kinds(Services(animal: animal, auth: auth, configuration: configuration)),
            configuration: configuration.server, journal: journal, sealer: sealer
        ) { metrics in
            for client in [animal, auth] { client.metrics.write(into: &metrics) }
        }
    }

    /// A client, or the error in the configuration of its service.
    private func client(
        _ name: String, _ endpoint: StorehouseConfiguration.Endpoint, _ demoURL: String, of curl: CurlUpstreams
    ) throws(ConfigurationError) -> CurlClient {
        do throws(UpstreamConfigurationError) {
            return try curl.client(for: UpstreamSettings(name, endpoint, demoURL))
        } catch {
            throw ConfigurationError(problems: [
                ConfigurationProblem(path: "upstreams.\(name)", detail: error.description)
            ])
        }
    }
}

extension UpstreamSettings {
    fileprivate init(_ name: String, _ endpoint: StorehouseConfiguration.Endpoint, _ demoURL: String) {
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

extension Configuration.Storage {
    /// Opens the journal.
    ///
    /// - Throws: why the file cannot be used, and what to do about it.
    fileprivate func journal(_ log: Log) throws(StorageError) -> any Journal {
        switch kind {
        case .memory: return MemoryJournal(keepCommits: keepCommits, keepBytes: keepBytes)
        case .sqlite:
            return try SQLiteJournal(
                path: path, durability: durability == .full ? .full : .relaxed, keepCommits: keepCommits,
                keepBytes: keepBytes, keepDays: keepDays
            ) { log.write($0) }
        }
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
            debug(
                "upstream call",
                [
                    LogField("upstream", upstream), .init("method", method), .init("attempt", number),
                    .init("seconds", duration),
                ] + Self.fields(outcome))
        case .circuit(let upstream, let circuit):
            let fields = [LogField("upstream", upstream), .init("circuit", circuit.rawValue)]
            circuit == .open ? warning("circuit", fields) : info("circuit", fields)
        }
    }

    private static func fields(_ outcome: UpstreamEvent.Outcome) -> [LogField] {
        switch outcome {
        case .answered(let status): [LogField("status", status)]
        case .failed(let code, let library):
            [LogField("code", code.rawValue)] + (library.map { [LogField("curl", $0)] } ?? [])
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
