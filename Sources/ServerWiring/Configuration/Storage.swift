package import StorehouseServer

/// The place where a server keeps its sessions. The other settings of storage come from the configuration.
public enum Storage: Sendable, Hashable {
    /// The process. Its sessions end with it.
    case memory
    /// The SQLite file at a path, which is made if it does not exist. Its sessions continue after a restart.
    case sqlite(String)
    /// The Redis at a URL, such as `redis://127.0.0.1:6379/0`, which several processes share. It needs the settings `cluster.address`,
    /// `cluster.secret` and `storage.key` too.
    case redis(String)

    /// Makes it the storage of a configuration.
    package func choose(in configuration: inout Configuration) {
        switch self {
        case .memory: configuration.storage.kind = .memory
        case .sqlite(let path):
            configuration.storage.kind = .sqlite
            configuration.storage.path = path
        case .redis(let url):
            configuration.storage.kind = .redis
            configuration.storage.redis.url = url
        }
    }
}
