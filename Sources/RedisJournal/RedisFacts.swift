package import Cluster

/// The facts that a server tells about itself, as far as they matter to the journal.
package struct RedisFacts: Sendable, Equatable {
    /// The lines `name:value` of `INFO`.
    let info: [String: String]
    /// The settings of `CONFIG GET`; nil if the server does not show them.
    let configuration: [String: String]?

    /// - Parameter configuration: the reply to ``query``.
    package init(info: String, configuration: RedisReply) {
        var lines: [String: String] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            lines[String(line[..<colon])] = String(line[line.index(after: colon)...])
        }
        self.info = lines
        self.configuration = Self.settings(configuration)
    }

    static func settings(_ reply: RedisReply) -> [String: String]? {
        guard let words = reply.array?.map({ $0.text ?? "" }) else { return nil }
        let pairs = stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
        return Dictionary(pairs) { first, _ in first }
    }

    var runID: String { info["run_id"] ?? "" }

    /// The server as the holder of the data.
    package var server: StorageLineage.Server {
        // A proxy may hide the replication ids.
        let id = Self.id(info["master_replid"]) ?? Self.id(info["run_id"]) ?? "unknown"
        return StorageLineage.Server(id: id, formerID: Self.id(info["master_replid2"]), place: place)
    }

    /// Nil for an id of zeros, which is none.
    private static func id(_ text: String?) -> String? {
        guard let text, !text.allSatisfy({ $0 == "0" }), text.utf8.allSatisfy(\.isHexadecimal) else { return nil }
        return text
    }

    /// Stands for the port and the folder of the server, which a restart does not change. In a cluster the data move to other servers
    /// without a loss.
    private var place: String {
        if isOfCluster { return "cluster" }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(info["tcp_port"] ?? "") \(configuration?["dir"] ?? "")".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    /// Whether the server is no Redis with data, but watches one.
    package var isSentinel: Bool { info["redis_mode"] == "sentinel" }

    static let sentinelProblem =
        "this is a Redis Sentinel, which has no sessions; storage.redis.url must lead to the primary that it watches, by a name or a "
        + "proxy that follows a failover ('redis-cli -p PORT sentinel get-master-addr-by-name NAME' tells where it is now)"

    /// Whether the server takes no writes because it is a replica, or still loads its data.
    var isReplica: Bool { info["role"] != "master" }

    /// Whether the server is a node of a cluster.
    var isOfCluster: Bool { info["redis_mode"] == "cluster" }

    /// Why this server cannot be the storage, and what to do about it; nil if it can.
    ///
    /// - Parameter isTrusted: whether the settings need not be shown.
    package func problem(isRelaxed: Bool, isTrusted: Bool = false) -> String? {
        let version = info["redis_version"] ?? "unknown"
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 7 else {
            return "its version is \(version); version 7.0 or later is required"
        }
        return isTrusted ? nil : Self.problem(configuration, isRelaxed: isRelaxed)
    }

    /// Why the settings of a server can lose acknowledged commits; nil if they cannot.
    static func problem(_ configuration: [String: String]?, isRelaxed: Bool) -> String? {
        guard let configuration, let append = configuration["appendonly"], let sync = configuration["appendfsync"]
        else {
            return "it does not show its settings; allow CONFIG GET to the user of storage.redis.url, or set "
                + "storage.redis.settings to trusted if you know that it keeps what storage.durability demands"
        }
        guard append == "yes" else {
            return "appendonly is '\(append)', so a restart loses commits; set 'appendonly yes'"
        }
        if isRelaxed ? sync == "no" : sync != "always" {
            return "appendfsync is '\(sync)'; set 'appendfsync always'"
                + (isRelaxed ? " or 'appendfsync everysec'" : ", or storage.durability to relaxed")
        }
        if let policy = configuration["maxmemory-policy"], policy != "noeviction", configuration["maxmemory"] != "0" {
            return
                "maxmemory-policy is '\(policy)', which deletes sessions when memory is short; set 'maxmemory-policy noeviction'"
        }
        return nil
    }

    /// Asks for the settings.
    static let query = RedisCommand("CONFIG", "GET", "append*", "maxmemory*", "dir")
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}
