import Journal
import Sealing
import StoreKinds
import StorehouseServer
import Stores
import Upstream

extension Storehouse {
    /// Serves the hosted kinds until a signal comes, then drains.
    static func serve(_ configuration: Configuration) async throws {
        let upstreams = configuration.upstreams
        let standIn = try upstreams.needsStandIn ? StandInServer(maxDelay: upstreams.maxDelay) : nil
        let log = Log(configuration.log)
        let curl = try CurlUpstreams(
            library: CurlLibrary { log.error($0) }, userAgent: StorehouseVersion.userAgent
        ) { log.tell($0) }
        let journal = try configuration.storage.journal(log)
        try await server(configuration, curl, journal, standIn: standIn?.url ?? "").run()
        await curl.shutdown()
        await standIn?.stop()
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
                client: clients.auth, usernameName: upstreams.auth.usernameField,
                passwordName: upstreams.auth.passwordField, body: upstreams.auth.body == .form ? .form : .json,
                fields: upstreams.auth.fields.mapValues(\.text), refusals: Set(upstreams.auth.noStatuses),
                proof: upstreams.auth.pointer))
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
        do throws(InvalidUpstream) {
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
