import HTTP
package import HTTPServer
import Observability
import Platform
import RemoteServices
import Sessions
import Sockets
package import StoreHosting
import Stores

extension Configuration.Http {
    /// The number of event loops: one for each core by default.
    var loopCount: Int { threads > 0 ? threads : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    func serverSettings(
        on loops: LoopImplementation, _ output: OutputBudget, _ input: InputBudget, _ traffic: HTTPTraffic,
        hasReserve: Bool = false
    ) -> HTTPServer.Settings {
        var settings = HTTPServer.Settings()
        settings.limits = HTTPLimits(maxHeaderBytes: maxHeaderBytes, maxBodyBytes: maxBodyBytes)
        settings.headerTimeout = headerTimeout
        settings.bodyTime = BodyTime(timeout: bodyTimeout, minRate: minBodyRate)
        settings.idleTimeout = idleTimeout
        settings.http2 = http2Start
        settings.output = output
        settings.input = input
        settings.traffic = traffic
        settings.connectionLimit = connectionLimit(
            ofSystem: Self.connectionLimitOfSystem(on: loops), hasReserve: hasReserve)
        return settings
    }

    /// The limit of connections.
    ///
    /// - Parameters:
    ///   - ofSystem: how many sockets there can be.
    ///   - hasReserve: whether other servers connect to this one, and this one to them.
    package func connectionLimit(ofSystem: Int, hasReserve: Bool) -> ConnectionLimit {
        var provisional = ConnectionLimit.maxProvisional
        guard hasReserve else {
            // With few sockets most of them are for clients.
            provisional = min(provisional, max(1, ofSystem / (16 * loopCount)))
            let limit = maxConnections > 0 ? maxConnections : max(16, ofSystem - provisional * loopCount)
            return ConnectionLimit(limit, provisional: provisional)
        }
        let sockets = ofSystem - provisional * loopCount
        // Twice the reserve is left: this server opens as many connections to others as they open to it.
        let limit = maxConnections > 0 ? maxConnections : max(16, sockets * 2 / 3, sockets - 2 * Self.maxReserve)
        return ConnectionLimit(limit, reserve: min(max(16, limit / 4), Self.maxReserve), provisional: provisional)
    }

    /// The largest number of connections that other servers may open. Each opens one for each of its loops, whatever it sends.
    private static let maxReserve = 1024

    /// Limits what clients have sent of unfinished requests. A single body always fits.
    func inputBudget(within memory: MemoryLimit) -> InputBudget {
        InputBudget(limit: max(memory.bufferLimit(inputBudget), 2 * (maxBodyBytes + maxHeaderBytes))) { [memory] in
            memory.hasRoom(forBodyOf: $0)
        }
    }

    /// The hosts that requests may name. A page that rebinds its own name to a loopback address reaches a server there, so
    /// such a server answers by default only for the names of that address.
    func hosts(listeningOn addresses: [SocketAddress]) -> AllowedHosts {
        guard allowedHosts.isEmpty else { return AllowedHosts(allowedHosts) }
        let isLoopback = addresses.allSatisfy { $0.isUnix || IPAddress(ipv6: $0.ipv6Bits).isLoopback }
        return isLoopback ? AllowedHosts(["localhost", "127.0.0.1", "::1", host], isForNetworks: true) : .all
    }

    /// When a drain closes the connections that are left, so that the process can end within ``drainTimeout``.
    package var disconnectAfter: Duration { drainTimeout - min(drainTimeout / 10, .milliseconds(500)) }

    /// The limit on open files, less a reserve for upstreams, storage and the log.
    private static func connectionLimitOfSystem(on loops: LoopImplementation) -> Int {
        guard let files = FileDescriptorLimit.limit else { return 1000 }
        return max(16, (files - max(64, files / 20)) / loops.descriptorsForEach)
    }
}

extension Configuration.Http {
    /// The URL of the server for clients on this machine.
    package var localURL: String {
        let local = ["0.0.0.0": "127.0.0.1", "::": "[::1]"][host] ?? (host.contains(":") ? "[\(host)]" : host)
        return "http://\(local):\(port)\(basePath)"
    }
}

extension Configuration.Admin {
    /// Makes a token for one run, unless there is one.
    package mutating func makeToken() { token = token ?? Secret("\(SessionID.random())\(SessionID.random())") }
}

extension Configuration {
    /// Kinds that cannot be served, and settings that do not fit them.
    ///
    /// - Parameter outlivesProcess: whether the sessions are read back after a restart.
    package func problems(serving kinds: [StoreKind], outlivesProcess: Bool) -> [ConfigurationProblem] {
        var problems = unreadValues + access.problems + http.http2Problems
        let names = kinds.map(\.name)
        let store = sessions.defaultStore
        if !names.isEmpty, !names.contains(store), store != Configuration().sessions.defaultStore {
            let similar = names.similar(to: store).first
            let hint = similar.map { "did you mean \($0)?" } ?? "this program has \(names.joined(separator: ", "))"
            problems.append(
                ConfigurationProblem(
                    path: "sessions.defaultStore", detail: "no store is called \(store); \(hint)"))
        }
        problems += Self.problems(of: kinds)
        for kind in kinds where outlivesProcess && !kind.isRestorable {
            problems.append(
                ConfigurationProblem(
                    path: "storage.kind",
                    detail: "the state of the store '\(kind.name)' cannot be restored after a restart; make its State "
                        + "Restorable, or set memory (STOREHOUSE_STORAGE_KIND)"))
        }
        return problems
    }

    /// Kinds for which the settings are unwise, although they can be served.
    package func warnings(serving kinds: [StoreKind]) -> [ConfigurationProblem] {
        initialStateWarnings(kinds) + forgottenCallWarnings(kinds) + silentFetchWarnings(kinds)
    }

    /// Kinds whose calls a process may forget that is killed.
    private func forgottenCallWarnings(_ kinds: [StoreKind]) -> [ConfigurationProblem] {
        let isInMemory = storage.kind == .memory
        guard isInMemory || storage.durability == .relaxed else { return [] }
        return kinds.filter { !$0.repeatedFetches.isEmpty }.map { kind in
            let fetches = kind.repeatedFetches.map { "'\($0)'" }.joined(separator: ", ")
            return ConfigurationProblem(
                path: isInMemory ? "storage.kind" : "storage.durability",
                detail:
                    "is \(isInMemory ? "memory" : "relaxed"), but the store '\(kind.name)' repeats calls of \(fetches): if "
                    + "the process is killed, it may forget a call that it has sent, and the next action of the user is another "
                    + "call; set "
                    + (isInMemory
                        ? "sqlite or redis (STOREHOUSE_STORAGE_KIND)" : "full (STOREHOUSE_STORAGE_DURABILITY)"))
        }
    }

    /// Fetches whose answer a session may wait for without an end, after a restart.
    private func silentFetchWarnings(_ kinds: [StoreKind]) -> [ConfigurationProblem] {
        guard storage.kind.outlivesProcess else { return [] }
        return kinds.filter { !$0.silentFetches.isEmpty }.map { kind in
            let fetches = kind.silentFetches.map { "'\($0)'" }.joined(separator: ", ")
            return ConfigurationProblem(
                path: "storage.kind",
                detail:
                    "is \(storage.kind.rawValue), and the store '\(kind.name)' does not say which states wait for an answer of \(fetches): "
                    + "after a restart such a state waits for ever; add isWaiting or waiting to the Fetch, or retry")
        }
    }

    /// Kinds whose sessions take no action, as their states are above the limit from the beginning.
    private func initialStateWarnings(_ kinds: [StoreKind]) -> [ConfigurationProblem] {
        kinds.filter { $0.initialState.count > sessions.maxStateBytes }.map { kind in
            ConfigurationProblem(
                path: "sessions.maxStateBytes",
                detail: "is \(sessions.maxStateBytes), but the initial state of the store '\(kind.name)' has "
                    + "\(kind.initialState.count) bytes as JSON; set more than that "
                    + "(STOREHOUSE_SESSIONS_MAX_STATE_BYTES), or let a session begin with less")
        }
    }

    /// Settings of a storage that a program promises in its configuration and does not provide.
    func problems(with journal: (any Journal)?, _ sealer: (any SecretSealer)?, _ keySet: (any RemoteClient)?)
        -> [ConfigurationProblem]
    {
        var problems: [ConfigurationProblem] = []
        if storage.kind.outlivesProcess, journal?.outlivesProcess != true {
            problems.append(
                ConfigurationProblem(
                    path: "storage.kind",
                    detail: "is \(storage.kind.rawValue), but this program keeps nothing after its end: make it a "
                        + "StorehouseApp, or pass a journal to StorehouseServer, such as SQLiteJournal, or set memory"))
        }
        if storage.key != nil, sealer == nil {
            problems.append(
                ConfigurationProblem(
                    path: "storage.key",
                    detail: "is set, but this program encrypts nothing: make it a StorehouseApp, or pass a sealer to "
                        + "StorehouseServer, such as AESSealer, or remove the key"))
        }
        if access.jwksURL != nil, keySet == nil {
            problems.append(
                ConfigurationProblem(
                    path: "access.jwksURL",
                    detail:
                        "is set, but this program fetches nothing: make it a StorehouseApp, or pass a client as keySet to "
                        + "StorehouseServer, or set access.publicKeys"))
        }
        return problems
    }

    /// The faults of the kinds, whatever the settings are.
    package static func problems(of kinds: [StoreKind]) -> [ConfigurationProblem] {
        if kinds.isEmpty { return [ConfigurationProblem(path: nil, detail: "the program hosts no store kind")] }
        var names: Set<String> = []
        let repeated = Set(kinds.map(\.name).filter { !names.insert($0).inserted })
        return repeated.sorted().map { name in
            ConfigurationProblem(path: nil, detail: "two store kinds are called '\(name)'; rename one of them")
        }
            + kinds.flatMap { kind in
                kind.problems.map { ConfigurationProblem(path: nil, detail: "the store '\(kind.name)': \($0)") }
            }
    }

    /// Values of security settings that a file could not have. A program may have set them.
    private var unreadValues: [ConfigurationProblem] {
        let paths = ["access.", "cluster.", "http.basePath", "http.allowedHosts", "http.trustedProxies", "limits."]
        return Self.keys.filter { key in paths.contains { key.path.hasPrefix($0) } }.compactMap { key in
            var copy = self
            return key.set(key.value(in: self), in: &copy).map { ConfigurationProblem(path: key.path, detail: $0) }
        }
    }

    /// The secret from which the keys of shares and cursors are made; nil if storage keeps a random one. Redis keeps none: it would
    /// be unknown as long as Redis is away at the start.
    var clientSecret: [UInt8]? {
        access.secret.map { Array($0.text.utf8) } ?? (storage.kind == .redis ? storage.key?.bytes : nil)
    }
}
