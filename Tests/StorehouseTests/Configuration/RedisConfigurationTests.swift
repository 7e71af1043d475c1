import Storehouse
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
