/// What a server tells about itself, as far as it matters.
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

    /// Whether the server takes no writes because it is a replica, or still loads its data.
    var isReplica: Bool { info["role"] != "master" }

    /// Whether the server is a node of a cluster.
    var isOfCluster: Bool { info["redis_mode"] == "cluster" }

    /// Why this server cannot be the storage, and what to do about it; nil if it can.
    package func problem(isRelaxed: Bool) -> String? {
        let version = info["redis_version"] ?? "unknown"
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 7 else {
            return "its version is \(version); version 7.0 or later is required"
        }
        return Self.problem(configuration, isRelaxed: isRelaxed)
    }

    /// Why the settings of a server lose what was acknowledged; nil if they do not.
    static func problem(_ configuration: [String: String]?, isRelaxed: Bool) -> String? {
        guard let configuration, let append = configuration["appendonly"], let sync = configuration["appendfsync"]
        else {
            return "it does not show its settings; allow CONFIG GET to the user of storage.redis.url"
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
    static let query = RedisCommand("CONFIG", "GET", "append*", "maxmemory*")
}
