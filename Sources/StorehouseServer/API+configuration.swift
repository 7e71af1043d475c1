import HTTP
import HTTPServer
package import Observability
import Platform
import RemoteServices
import Security
import Sessions
import Sockets
import StoreHosting

extension Configuration {
    /// This node's credentials; nil outside of a cluster.
    private var node: NodeIdentity? {
        guard storage.kind == .redis, let secret = cluster.secret else { return nil }
        return NodeIdentity(
            name: cluster.address, secret: Array(secret.text.utf8),
            settings: access.mode == .token ? access.actorClaims.mark : nil)
    }

    func apiSettings(
        _ kinds: [StoreKind], _ journal: (any Journal)?, listeningOn addresses: [SocketAddress]
    ) -> API.Settings {
        var settings = API.Settings()
        let isKnown = kinds.contains { $0.name == sessions.defaultStore }
        settings.defaultStore = isKnown ? sessions.defaultStore : kinds.first?.name ?? ""
        settings.sessions.maxSessions = sessions.max
        settings.sessions.maxResident = sessions.maxResident
        settings.limits.maxStateBytes = sessions.maxStateBytes
        settings.limits.maxIdempotencyKeys = sessions.maxIdempotencyKeys
        settings.limits.maxPermits = sessions.maxPermits
        settings.limits.clients.maxClients = sessions.maxClients
        settings.limits.clients.retention = sessions.clientRetention.wholeMilliseconds
        settings.adminToken = admin.token?.text ?? ""
        let outlivesProcess = journal?.outlivesProcess == true
        settings.sessions.idleTimeout = SessionPolicy.timeout(sessions.idleTimeout(outlivesProcess: outlivesProcess))
        settings.sessions.unusedTimeout = SessionPolicy.timeout(
            sessions.unusedTimeout(outlivesProcess: outlivesProcess))
        // A process that dies takes a little of the time from its sessions.
        settings.limits.useInterval = min(settings.limits.useInterval, settings.sessions.idleTimeout / 10)
        if let epoch = journal?.epoch { settings.streamEpoch = "." + String(epoch, radix: 36) }
        settings.streams.heartbeat = streams.heartbeat
        settings.streams.maxPerSession = streams.maxPerSession
        settings.streams.maxViews = streams.maxViews
        settings.streams.maxActorViews = streams.maxActorViews
        settings.streams.bufferBytes = streams.bufferBytes
        settings.streams.maxLifetime = streams.maxLifetime
        settings.streams.maxBodyBytes = http.maxBodyBytes
        settings.limits.presenceGrace = streams.presenceGrace.wholeMilliseconds
        settings.basePath = BasePath(http.basePath)
        settings.allowedOrigins = http.allowedOrigins
        settings.allowedHosts = http.hosts(listeningOn: addresses)
        settings.trustedProxies = TrustedProxies(http.trustedProxies.compactMap { AddressRange($0) })
        settings.rateLimits = limits
        settings.logging = log
        settings.hasInspector = inspector.enabled
        settings.hasClient = clients.javascript
        settings.hasOperatorPort = metrics.port != 0
        settings.maxWait = http.maxWait
        settings.node = node
        settings.lease = cluster.lease
        settings.clusterWaits = cluster.waits
        return settings
    }

    /// The settings of the connections.
    func httpSettings(
        of settings: API.Settings, on loops: LoopImplementation, _ traffic: HTTPTraffic
    ) -> HTTPServer.Settings {
        http.serverSettings(
            on: loops, settings.output, settings.input, traffic, hasReserve: settings.node != nil)
    }
}

extension API.Settings {
    var features: ServerFeatures {
        ServerFeatures(
            defaultStore: defaultStore, basePath: basePath.text, hasInspector: hasInspector, hasClient: hasClient,
            hasOperatorPort: hasOperatorPort, usesTokens: tokenVerifier != nil)
    }
}

extension Log {
    /// The log of a process, on standard error.
    ///
    /// - Parameter configuration: the level and the format.
    package init(_ configuration: Configuration.Logging) {
        self.init(level: configuration.level, format: configuration.format, sink: FileDescriptorLogSink.standardError)
    }
}

extension ActorClaims {
    /// Tells whether two nodes read the same names and roles from a token.
    fileprivate var mark: String { Fingerprint.of("\(name)\n\(roles)") }
}
