import HTTP
import HTTPServer
import Observability
import Platform
import Sockets
import StoreHosting
import Stores

extension Configuration.Http {
    /// How many event loops to run: one a core where nothing else is said.
    var loopCount: Int { threads > 0 ? threads : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    func serverSettings(on loops: LoopImplementation) -> HTTPServer.Settings {
        var settings = HTTPServer.Settings()
        settings.limits = HTTPLimits(maxHeaderBytes: maxHeaderBytes, maxBodyBytes: maxBodyBytes)
        settings.headerTimeout = headerTimeout
        settings.bodyTimeout = bodyTimeout
        settings.idleTimeout = idleTimeout
        settings.maxConnections = maxConnections > 0 ? maxConnections : Self.connectionsTheSystemAllows(on: loops)
        return settings
    }

    /// When a drain cuts what is left: early enough that the process has ended within ``drainTimeout``.
    package var cutAfter: Duration { drainTimeout - min(drainTimeout / 10, .milliseconds(500)) }

    /// What the limit on open files leaves, less a reserve for upstreams, storage and the log.
    private static func connectionsTheSystemAllows(on loops: LoopImplementation) -> Int {
        guard let files = FileDescriptorLimit.limit else { return 1000 }
        return max(16, (files - max(64, files / 20)) / loops.descriptorsForEach)
    }
}

extension Configuration.Http {
    /// Where the server is reached from this machine.
    package var localURL: String {
        let local = ["0.0.0.0": "127.0.0.1", "::": "[::1]"][host] ?? (host.contains(":") ? "[\(host)]" : host)
        return "http://\(local):\(port)"
    }
}

extension Configuration.Upstreams {
    /// Whether an API has no address of its own, and is to be served from inside.
    package var needsStandIn: Bool { embedded && (animal.endpoint.url == nil || auth.endpoint.url == nil) }
}

extension Configuration {
    /// What cannot be served, though each value by itself is sound.
    func problems(serving kinds: [StoreKind], _ journal: (any Journal)?) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        let names = kinds.map(\.name)
        let store = sessions.defaultStore
        if !names.contains(store), store != Configuration().sessions.defaultStore {
            let nearest = names.min { editDistance($0, store) < editDistance($1, store) } ?? ""
            problems.append(
                .init(
                    path: "sessions.defaultStore", source: nil,
                    detail: "no store is called that; did you mean \(nearest)?"))
        }
        if journal?.outlivesProcess == true {
            for kind in kinds where !kind.isRestorable {
                problems.append(
                    .init(
                        path: "storage.kind", source: nil,
                        detail: "states of \(kind.name) cannot be read back; make its State Restorable, or set memory"))
            }
        }
        return problems
    }

    func apiSettings(_ kinds: [StoreKind], _ journal: (any Journal)?) -> API.Settings {
        var settings = API.Settings()
        let isKnown = kinds.contains { $0.name == sessions.defaultStore }
        settings.defaultStore = isKnown ? sessions.defaultStore : kinds.first?.name ?? ""
        settings.sessions.maxSessions = sessions.max
        settings.sessions.maxResident = sessions.maxResident
        settings.adminToken = admin.token?.text ?? ""
        settings.sessions.idleTimeout = sessions.idleTimeout.wholeMilliseconds
        if journal?.mayLoseCommits == true {
            settings.streamEpoch = "." + String(UInt32.random(in: .min ... .max), radix: 36)
        }
        settings.streams.heartbeat = streams.heartbeat
        settings.streams.maxPerSession = streams.maxPerSession
        settings.streams.bufferBytes = streams.bufferBytes
        settings.streams.maxLifetime = streams.maxLifetime
        settings.allowedOrigins = http.allowedOrigins
        settings.hasInspector = inspector.enabled
        settings.maxWait = http.maxWait
        return settings
    }
}

extension Duration {
    /// Milliseconds, rounded down; at least one.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let whole = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
        return max(1, whole.overflow ? Int.max / 4 : whole.partialValue + Int(attoseconds / 1_000_000_000_000_000))
    }
}

extension Log {
    /// The log of a process, on standard error.
    package init(_ configuration: Configuration.Logging) {
        self.init(level: configuration.level, format: configuration.format, sink: FileDescriptorLogSink.standardError)
    }
}
