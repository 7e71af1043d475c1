import ServerWiring
import StorehouseServer
import Testing

@Suite("The configuration of Redis")
struct RedisConfigurationTests {
    @Test("names everything that is missing or not supported before anything is opened")
    func problems() throws {
        var configuration = Configuration()
        configuration.storage.kind = .redis
        configuration.storage.redis.url = "rediss://:hunter2@redis.example"
        configuration.storage.keepDays = 1
        let error = try #require(throws: ConfigurationError.self) { try configuration.check([]) }
        let text = "\(error)"
        for part in [
            "storage.redis.url", "stunnel", "storage.key", "openssl rand", "storage.keepDays", "cluster.address",
            "cluster.secret",
        ] {
            #expect(text.contains(part))
        }
        #expect(!text.contains("hunter2"))
        // The other kinds do not look at these keys.
        configuration.storage.kind = .memory
        let other = try #require(throws: ConfigurationError.self) { try configuration.check([]) }
        #expect(!"\(other)".contains("redis"))
    }

    @Test(
        "warns of keys of other kinds of storage, which have no effect",
        arguments: [
            (
                Configuration.Storage.Kind.memory,
                [
                    "storage.path", "storage.durability", "storage.keepDays", "storage.redis.url",
                    "storage.redis.replicas", "storage.redis.prefix",
                ]
            ),
            (.sqlite, ["storage.redis.url", "storage.redis.replicas", "storage.redis.prefix"]),
            // With Redis, the second is a mistake too.
            (.redis, ["storage.path", "storage.keepDays"]),
        ])
    func keysOfOtherKinds(kind: Configuration.Storage.Kind, named: [String]) throws {
        var configuration = Configuration()
        configuration.storage.kind = kind
        configuration.storage.path = "sessions.db"
        configuration.storage.durability = .relaxed
        configuration.storage.keepCommits = 10
        configuration.storage.keepBytes = 1 << 20
        configuration.storage.keepDays = 1
        configuration.storage.key = SealingKey(String(repeating: "0f", count: 32))
        configuration.storage.redis.url = "redis://:hunter2@10.0.0.9"
        configuration.storage.redis.replicas = 1
        configuration.storage.redis.prefix = "app"
        if kind == .redis {
            configuration.cluster.address = "10.0.0.1:8080"
            configuration.cluster.secret = Secret(String(repeating: "s", count: 32))
        }
        let warnings = configuration.storageWarnings
        #expect(warnings.compactMap(\.path) == named)
        #expect(!"\(warnings)".contains("hunter2"))
        if kind == .memory {
            #expect(
                warnings[0].detail
                    == "has no effect unless storage.kind is sqlite; set that (STOREHOUSE_STORAGE_KIND), or remove "
                    + "this (STOREHOUSE_STORAGE_PATH)")
            #expect(warnings[1].detail.hasPrefix("has no effect unless storage.kind is sqlite or redis;"))
        }
    }

    @Test("says where sessions are stored without a password")
    func storageSummary() {
        var configuration = Configuration()
        #expect(configuration.storageSummary == "storage memory: sessions end with the process")
        configuration.storage.kind = .sqlite
        configuration.storage.path = "/data/x.db"
        #expect(configuration.storageSummary == "storage sqlite /data/x.db, full")
        configuration.storage.kind = .redis
        configuration.storage.durability = .relaxed
        configuration.storage.redis.url = "redis://user:hunter2@10.0.0.9/3"
        configuration.cluster.address = "10.0.0.1:8080"
        #expect(
            configuration.storageSummary
                == "storage redis://10.0.0.9:6379/3 as node 10.0.0.1:8080, prefix storehouse, relaxed")
    }

    @Test("refuses keys of a node that have no effect")
    func clusterWithoutRedis() throws {
        var configuration = Configuration()
        configuration.cluster.address = "10.0.0.1:8080"
        configuration.cluster.secret = Secret(String(repeating: "s", count: 32))
        configuration.cluster.lease = .seconds(2)
        for kind in [Configuration.Storage.Kind.memory, .sqlite] {
            configuration.storage.kind = kind
            let error = try #require(throws: ConfigurationError.self) { try configuration.check([]) }
            let paths = error.problems.compactMap(\.path).filter { $0.hasPrefix("cluster.") }
            #expect(paths == ["cluster.address", "cluster.secret", "cluster.lease"])
        }
        configuration.storage.kind = .redis
        let error = try #require(throws: ConfigurationError.self) { try configuration.check([]) }
        #expect(error.problems.compactMap(\.path) == ["storage.key"])
        #expect(!configuration.document.contains("ssss"))
    }

    @Test(
        "refuses an address that names no host and port",
        arguments: [
            "10.0.0.1", ":8080", "a:0", "a:65536", "a:+1", "a b:1", "fd00::1:8080x", "http://a:1", "a:", "[::1]",
        ])
    func addresses(address: String) {
        #expect(throws: ConfigurationError.self) {
            try Configuration(flags: [ConfigurationFlag(name: "--set", path: "cluster.address", text: address)])
        }
    }
}
