import Journal
package import Observability
import Platform
import RedisJournal
package import Security
package import StoreHosting
package import StorehouseServer

extension Configuration {
    /// Finds the problems that would keep a server from serving these kinds, before it opens anything.
    package func check(_ kinds: [StoreKind]) throws(ConfigurationError) {
        let problems = problems(serving: kinds, outlivesProcess: storage.kind.outlivesProcess) + storageProblems
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}

extension Configuration {
    private var storageProblems: [ConfigurationProblem] {
        switch storage.kind {
        case .memory: keysWithoutEffect(below: "cluster")
        case .sqlite: keysWithoutEffect(below: "cluster") + storage.fileProblems
        case .redis: storage.redisProblems + clusterProblems
        }
    }

    /// The keys of `storage` that have no effect. The server starts all the same, so that a file can keep them while one tries another
    /// kind of storage.
    package var storageWarnings: [ConfigurationProblem] { keysWithoutEffect(below: "storage") }

    /// The keys of a section that differ from their defaults although the kind of storage does not use them.
    private func keysWithoutEffect(below section: String) -> [ConfigurationProblem] {
        let defaults = Configuration()
        return Configuration.keys.compactMap { key in
            guard key.path.hasPrefix(section + "."), let kinds = Configuration.Storage.kinds(using: key.path),
                !kinds.contains(storage.kind), key.value(in: self) != key.value(in: defaults)
            else { return nil }
            let names = kinds.map(\.rawValue).joined(separator: " or ")
            return ConfigurationProblem(
                path: key.path,
                detail: "has no effect unless storage.kind is \(names); set that (STOREHOUSE_STORAGE_KIND), "
                    + "or remove this (\(key.variable))")
        }
    }

    private var clusterProblems: [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if cluster.address.isEmpty {
            problems.append(
                ConfigurationProblem(
                    path: "cluster.address",
                    detail:
                        "is required if storage.kind is redis: where other nodes reach this one, such as 10.0.0.1:8080")
            )
        }
        if cluster.secret == nil {
            problems.append(
                ConfigurationProblem(
                    path: "cluster.secret",
                    detail:
                        "is required if storage.kind is redis, the same on every node; make one with 'openssl rand -base64 32'"
                ))
        }
        return problems
    }
}

extension Configuration {
    /// Where sessions are stored, as the log says it at the start.
    package var storageSummary: String {
        switch storage.kind {
        case .memory: "storage memory: sessions end with the process"
        case .sqlite: "storage sqlite \(storage.path), \(storage.durability.rawValue)"
        case .redis:
            "storage \((try? RedisAddress(storage.redis.url).description) ?? "redis") as node \(cluster.address), "
                + "prefix \(storage.redis.prefix), \(storage.durability.rawValue)"
        }
    }

    /// Opens the journal.
    ///
    /// - Throws: why the file or the server cannot be used, and what to do about it.
    package func journal(_ log: Log) throws -> any Journal {
        switch storage.kind {
        case .memory: return MemoryJournal(keepCommits: storage.keepCommits, keepBytes: storage.keepBytes)
        case .sqlite:
            return try SQLiteJournal(
                path: storage.path, durability: storage.durability == .full ? .full : .relaxed,
                keepCommits: storage.keepCommits, keepBytes: storage.keepBytes, keepDays: storage.keepDays
            ) { log.write($0) }
        case .redis:
            do {
                return try redisJournal(log)
            } catch let error as StorageError {
                throw ConfigurationError(problems: [
                    ConfigurationProblem(path: "storage.redis", detail: error.description)
                ])
            }
        }
    }

    private func redisJournal(_ log: Log) throws -> RedisJournal {
        guard let sealer = try storage.sealer(), let secret = cluster.secret, !cluster.address.isEmpty else {
            throw ConfigurationError(problems: storageProblems)
        }
        if storage.redis.settings == .trusted {
            log.warning(
                "the settings of Redis are not checked, because storage.redis.settings is trusted; acknowledged commits are kept "
                    + "only if Redis keeps what storage.durability demands")
        }
        return try RedisJournal(
            RedisAddress(storage.redis.url), prefix: storage.redis.prefix,
            durability: storage.durability == .full ? .full : .relaxed, replicas: storage.redis.replicas,
            keepCommits: storage.keepCommits, keepBytes: storage.keepBytes, sealer: sealer, node: cluster.address,
            secret: secret.text, lease: cluster.lease,
            settingsAre: storage.redis.settings == .trusted ? .trusted : .checked
        ) { event in
            log.write(event)
            // The exit status tells the supervisor of the process why it ends.
            switch event {
            case .refused, .addressTaken: exit(2)
            default: break
            }
        }
    }
}

extension Configuration.Storage {
    /// The kinds that use a key; nil if all do, or if the key has another message for those that do not.
    fileprivate static func kinds(using path: String) -> [Kind]? {
        switch path {
        case "storage.path", "storage.keepDays": [.sqlite]
        case "storage.durability": [.sqlite, .redis]
        default: path.hasPrefix("storage.redis.") || path.hasPrefix("cluster.") ? [.redis] : nil
        }
    }

    /// Makes the sealer that encrypts the secrets; nil if there is no key.
    package func sealer() throws(SealerError) -> (any SecretSealer)? {
        guard let key else { return nil }
        return try AESSealer(key: key.bytes)
    }

    /// The errors in the settings. The server itself is checked when it is connected to.
    fileprivate var redisProblems: [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        do {
            _ = try RedisAddress(redis.url)
        } catch {
            problems.append(ConfigurationProblem(path: "storage.redis.url", detail: error.detail))
        }
        if key == nil {
            problems.append(
                ConfigurationProblem(
                    path: "storage.key",
                    detail: "is required if storage.kind is redis; make one with 'openssl rand -base64 32'"))
        }
        if keepDays != 0 {
            problems.append(
                ConfigurationProblem(
                    path: "storage.keepDays",
                    detail: "must be 0 if storage.kind is redis, which deletes commits by number and size only"))
        }
        return problems
    }

    /// Why no file can be made at the path. The file itself is looked at when it is opened.
    fileprivate var fileProblems: [ConfigurationProblem] {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            return [
                ConfigurationProblem(
                    path: "storage.path",
                    detail: "'\(path)' is a directory; name a file in it, such as '\(path)/storehouse.db'")
            ]
        }
        let directory = path.lastIndex(of: "/").map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? "."
        guard access(directory, W_OK | X_OK) != 0 else { return [] }
        let code = errno
        let reason =
            code == ENOENT ? "does not exist; create it" : "cannot be written (\(String(cString: strerror(code))))"
        return [
            ConfigurationProblem(
                path: "storage.path", detail: "the directory '\(directory)' \(reason), or set another path")
        ]
    }
}
