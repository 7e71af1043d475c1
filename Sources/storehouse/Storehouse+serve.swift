import Journal
import StoreKinds
import StorehouseServer
import Stores
import Upstream

extension Storehouse {
    /// Serves the hosted kinds until a signal comes, then drains.
    static func serve(_ configuration: Configuration) async throws {
        let upstreams = configuration.upstreams
        let standIn = try upstreams.needsStandIn ? StandInServer(maxDelay: upstreams.maxDelay) : nil
        let curl = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        let kinds = StoreKind.all(
            animal: AnimalService(
                client: try curl.client(
                    for: settings("animal", upstreams.animal.endpoint, standIn.map { $0.url + "/animal" })),
                pointer: upstreams.animal.pointer),
            auth: AuthService(
                client: try curl.client(
                    for: settings("auth", upstreams.auth.endpoint, standIn.map { $0.url + "/login" })),
                usernameName: upstreams.auth.usernameField, passwordName: upstreams.auth.passwordField,
                refusals: Set(upstreams.auth.noStatuses)))
        let journal = MemoryJournal(keepCommits: configuration.storage.keepCommits)
        try await StorehouseServer(kinds: kinds, configuration: configuration, journal: journal).run()
        await curl.shutdown()
        await standIn?.stop()
    }

    private static func settings(
        _ name: String, _ endpoint: Configuration.Endpoint, _ standIn: String?
    ) -> UpstreamSettings {
        var settings = UpstreamSettings(
            name: name, url: endpoint.url ?? standIn ?? "", headers: endpoint.headers.mapValues(\.text))
        settings.timeout = endpoint.timeout
        settings.retries = endpoint.retries
        settings.maxConcurrent = endpoint.maxConcurrent
        settings.maxBodyBytes = endpoint.maxBodyBytes
        settings.breakerFailures = endpoint.breaker.failures
        settings.breakerCooldown = endpoint.breaker.cooldown
        return settings
    }
}
