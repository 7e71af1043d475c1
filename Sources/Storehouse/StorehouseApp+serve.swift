import Journal
import Observability
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
