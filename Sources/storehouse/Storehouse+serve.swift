import Journal
import Observability
import RemoteServices
import Sealing
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import Upstream

extension Storehouse {
    /// Serves the hosted kinds until a signal comes, then drains.
    static func serve(_ configuration: Configuration) async throws {
        let upstreams = configuration.upstreams
        let standIn = try upstreams.needsStandIn ? DemoUpstreamServer(maxDelay: upstreams.maxDelay) : nil
        let log = Log(configuration.log)
        let curl = try CurlUpstreams(
            library: CurlLibrary { log.error($0) }, userAgent: StorehouseVersion.userAgent
        ) { log.tell($0) }
        let journal = try configuration.storage.journal(log)
        try await server(configuration, curl, journal, standIn: standIn?.url ?? "").run {
            await curl.shutdown()
            await standIn?.stop()
        }
    }

    /// Prints what `serve` would go by, or throws what it would refuse.
    static func check(_ configuration: Configuration) async throws {
        let curl = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        let journal = MemoryJournal(keepCommits: configuration.storage.keepCommits)
        _ = try server(configuration, curl, journal, standIn: "http://127.0.0.1")
        await curl.shutdown()
        Console.print(configuration.document)
    }

    /// - Parameter standIn: the address of what serves the APIs that have none of their own.
    private static func server(
        _ configuration: Configuration, _ curl: CurlUpstreams, _ journal: any Journal, standIn: String
    ) throws -> StorehouseServer {
        let upstreams = configuration.upstreams
        let animal = settings("animal", upstreams.animal.endpoint, standIn + "/animal")
        let auth = settings("auth", upstreams.auth.endpoint, standIn + "/login")
        let clients = (animal: try client(for: animal, of: curl), auth: try client(for: auth, of: curl))
        let kinds = StoreKind.all(
            animal: AnimalService(client: clients.animal, pointer: upstreams.animal.pointer),
            auth: AuthService(
                client: clients.auth, usernameField: upstreams.auth.usernameField,
                passwordField: upstreams.auth.passwordField, body: upstreams.auth.body == .form ? .form : .json,
                fields: upstreams.auth.fields.mapValues(\.text), rejectionStatuses: Set(upstreams.auth.noStatuses),
                successPointer: upstreams.auth.pointer))
        let sealer = try configuration.storage.key.map { try AESSealer(key: $0.bytes) }
        return try StorehouseServer(kinds: kinds, configuration: configuration, journal: journal, sealer: sealer) {
            text in
            for client in [clients.animal, clients.auth] { client.numbers.write(into: &text) }
        }
    }

    /// A client, or what is wrong with the configuration of one.
    private static func client(
        for settings: UpstreamSettings, of curl: CurlUpstreams
    ) throws(ConfigurationError) -> CurlClient {
        do throws(UpstreamConfigurationError) {
            return try curl.client(for: settings)
        } catch {
            throw ConfigurationError(problem: "upstreams.\(settings.name)", error.description)
        }
    }

    private static func settings(
        _ name: String, _ endpoint: Configuration.Endpoint, _ standIn: String
    ) -> UpstreamSettings {
        var settings = UpstreamSettings(
            name: name, url: endpoint.url ?? standIn, headers: endpoint.headers.mapValues(\.text))
        settings.timeout = endpoint.timeout
        settings.retries = endpoint.retries
        settings.maxConcurrent = endpoint.maxConcurrent
        settings.maxWaiting = endpoint.maxWaiting
        settings.maxBodyBytes = endpoint.maxBodyBytes
        settings.maxHeaderBytes = endpoint.maxHeaderBytes
        settings.lowSpeedBytes = endpoint.lowSpeed.bytes
        settings.lowSpeedTime = endpoint.lowSpeed.time
        settings.caFile = endpoint.caFile
        settings.clientCertificate = endpoint.clientCertificate
        settings.clientKey = endpoint.clientKey
        settings.clientKeyPassword = endpoint.clientKeyPassword?.text
        settings.denyPrivate = endpoint.denyPrivate && endpoint.url != nil
        settings.breakerFailures = endpoint.breaker.failures
        settings.breakerCooldown = endpoint.breaker.cooldown
        return settings
    }
}

extension Configuration.Storage {
    /// Where commits are kept, ready for use.
    ///
    /// - Throws: why the file cannot be used, and what to do.
    func journal(_ log: Log) throws(StorageError) -> any Journal {
        switch kind {
        case .memory: return MemoryJournal(keepCommits: keepCommits)
        case .sqlite:
            return try SQLiteJournal(
                path: path, durability: durability == .full ? .full : .relaxed, keepCommits: keepCommits,
                keepDays: keepDays
            ) { log.tell($0) }
        }
    }
}

extension Log {
    fileprivate func tell(_ news: StorageEvent) {
        switch news {
        case .upgrading(let old, let new):
            info(
                "the storage file is being brought up to date",
                [.init("from", old), .init("to", new)])
        case .failed(let detail):
            error("nothing can be kept; see that storage.path can be written and has room", [.init("detail", detail)])
        case .recovered: warning("storage can be written again")
        case .damaged(let session, let detail):
            error(
                "a session's rows are damaged; it cannot be used",
                [.init("session", String(session.prefix(6)) + "…"), .init("detail", detail)])
        }
    }
}

extension Log {
    /// A line for what has happened to a remote call: neither address nor body is in it.
    func tell(_ event: UpstreamEvent) {
        switch event {
        case .attempt(let upstream, let method, let number, let outcome, let length):
            debug(
                "upstream call",
                [
                    LogField("upstream", upstream), .init("method", method), .init("attempt", number),
                    .init("seconds", length),
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
    func write(into text: inout PrometheusWriter) {
        let labels = [("upstream", name)]
        text.counter("storehouse_upstream_calls_total", "Calls of remote services.", calls, labels: labels)
        text.counter("storehouse_upstream_retries_total", "Calls that were tried once more.", retries, labels: labels)
        for (digit, count) in answers.sorted(by: { $0.key < $1.key }) {
            text.counter(
                "storehouse_upstream_answers_total", "Answers of remote services, by status.",
                count,
                labels: labels + [("status", "\(digit)xx")])
        }
        for (code, count) in failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.counter(
                "storehouse_upstream_failures_total", "Calls of remote services that failed, by code.",
                count,
                labels: labels + [("code", code.rawValue)])
        }
        for circuit in Circuit.allCases {
            text.gauge(
                "storehouse_upstream_circuit", "1 for how the circuit to a remote service stands.",
                circuit == self.circuit ? 1 : 0,
                labels: labels + [("state", circuit.rawValue)])
        }
        text.gauge(
            "storehouse_upstream_calls_in_flight", "Calls of remote services under way.", inFlight, labels: labels)
        text.gauge("storehouse_upstream_calls_waiting", "Calls of remote services in line.", waiting, labels: labels)
        text.histogram(
            "storehouse_upstream_call_seconds", "How long calls of remote services took.",
            bounds: LatencyHistogram.bounds, counts: latency.counts, sum: latency.sum, labels: labels)
    }
}
