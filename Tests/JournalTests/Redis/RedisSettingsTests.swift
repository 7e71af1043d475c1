import Cluster
import Journal
import RedisJournal
import Testing

@Suite("The settings of Redis")
struct RedisSettingsTests {
    @Test(
        "An address is shown without its credentials",
        arguments: [
            ("redis://127.0.0.1", "redis://127.0.0.1:6379/0"),
            ("redis://cache.example:6380/3", "redis://cache.example:6380/3"),
            ("redis://:pa%40ss@[::1]:7000", "redis://[::1]:7000/0"), ("redis://user:p@h/15", "redis://h:6379/15"),
            ("unix:///run/redis.sock", "unix:///run/redis.sock"),
            ("unix://:secret@/r.sock?db=2", "unix:///r.sock?db=2"),
        ])
    func addresses(url: String, shown: String) throws { #expect(try RedisAddress(url).description == shown) }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "redis", "http://a", "redis://", "redis://:6379", "redis://a:0", "redis://a:b", "redis://a/x",
            "redis://a/-1",
            "redis://user@a", "redis://user:%4@a", "redis://:@a", "redis://[::1]x", "unix://relative", "unix:///a?x=1",
            "rediss://a",
        ])
    func malformed(url: String) { #expect(throws: RedisAddress.Malformed.self) { try RedisAddress(url) } }

    private static let info = "# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\nrole:master\r\ncluster_enabled:0\r\n"

    private func facts(_ info: String = info, _ settings: [String: String]?) -> RedisFacts {
        let words = settings.map { $0.flatMap { [$0.key, $0.value] } }
        return RedisFacts(
            info: info,
            configuration: words.map { .array($0.map { .bytes(Array($0.utf8)) }) } ?? .error("NOPERM"))
    }

    @Test("A server that keeps every acknowledged commit is accepted, and no other")
    func problems() throws {
        let good = ["appendonly": "yes", "appendfsync": "always", "maxmemory": "0", "maxmemory-policy": "allkeys-lru"]
        #expect(facts(good).problem(isRelaxed: false) == nil)
        func problem(_ name: String, _ value: String, isRelaxed: Bool = false) -> String? {
            facts(good.merging([name: value]) { $1 }).problem(isRelaxed: isRelaxed)
        }
        #expect(try #require(problem("appendonly", "no")).contains("appendonly yes"))
        #expect(try #require(problem("appendfsync", "everysec")).contains("appendfsync always"))
        #expect(problem("appendfsync", "everysec", isRelaxed: true) == nil)
        #expect(problem("appendfsync", "no", isRelaxed: true) != nil)
        #expect(problem("appendonly", "no", isRelaxed: true) != nil)
        #expect(try #require(problem("maxmemory", "1000000")).contains("noeviction"))
        #expect(try #require(facts(nil).problem(isRelaxed: true)).contains("CONFIG GET"))
        let old = Self.info.replacing("7.0.15", with: "6.2.1")
        #expect(try #require(facts(old, good).problem(isRelaxed: false)).contains("6.2.1"))
    }

    @Test("A server that does not show its settings is accepted if the operator vouches for them")
    func trusted() throws {
        #expect(facts(nil).problem(isRelaxed: false, isTrusted: true) == nil)
        #expect(try #require(facts(nil).problem(isRelaxed: false)).contains("storage.redis.settings to trusted"))
        let old = Self.info.replacing("7.0.15", with: "6.2.1")
        #expect(try #require(facts(old, nil).problem(isRelaxed: false, isTrusted: true)).contains("6.2.1"))
    }

    @Test("A server is known by its replication id, and its place by what a restart does not change")
    func server() {
        let ids = "master_replid:ab12\r\nmaster_replid2:"
        func server(_ former: String, port: String = "1", folder: String = "/data") -> StorageLineage.Server {
            facts(Self.info + "tcp_port:\(port)\r\n\(ids)\(former)\r\n", ["dir": folder]).server
        }
        #expect(server("000000") == server("000000"))
        #expect(server("000000") != server("cd34"))
        #expect(server("000000") != server("000000", port: "2"))
        #expect(server("000000") != server("000000", folder: "/other"))
        #expect(server("000000").id == "ab12")
        #expect(facts([:]).server.id == "abc")
    }

    @Test("A Sentinel is told from a server with data")
    func sentinel() {
        #expect(facts("redis_version:7.0.15\r\nredis_mode:sentinel\r\n", nil).isSentinel)
        #expect(!facts([:]).isSentinel)
    }

    private func facts(_ settings: [String: String]?) -> RedisFacts { facts(Self.info, settings) }
}
