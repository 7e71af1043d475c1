import Curl
package import Observability
package import RemoteServices
import StorehouseServer
package import Upstream

/// The clients of the services that a configuration names, and the demo services of those without a URL.
package struct Remotes: Sendable {
    package let clients: RemoteClients
    /// Fetches `access.jwksURL`; nil if it is not set.
    package let keySet: CurlClient?
    private let curl: CurlUpstreams
    private let curlClients: [CurlClient]
    private let demo: DemoUpstreamServer?

    package init(_ configuration: StorehouseConfiguration, _ log: Log) throws {
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

    /// Throws what is wrong with the settings of the services, without a call of one.
    package static func check(_ configuration: StorehouseConfiguration) throws {
        let curl = try CurlUpstreams(userAgent: StorehouseVersion.userAgent)
        for service in configuration.services {
            _ = try curl.client(of: service, configuration, demoURL: "http://127.0.0.1")
        }
    }

    package func writeMetrics(into metrics: inout PrometheusWriter) {
        for client in curlClients { client.metrics.write(into: &metrics) }
    }

    package func stop() async {
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
