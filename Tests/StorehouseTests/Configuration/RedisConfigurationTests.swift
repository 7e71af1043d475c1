import Storehouse
import StorehouseServer
import Testing

@Suite("The configuration of Redis")
struct RedisConfigurationTests {
    @Test("names everything that is missing or not supported before anything is opened")
    func problems() throws {
        var configuration = Configuration()
        configuration.storage.kind = .redis
        configuration.storage.redis.url = "rediss://:secret@redis.example"
        configuration.storage.keepDays = 1
        let error = try #require(throws: ConfigurationError.self) { try configuration.check([]) }
        let text = "\(error)"
        for part in ["storage.redis.url", "stunnel", "storage.key", "openssl rand", "storage.keepDays"] {
            #expect(text.contains(part))
        }
        #expect(!text.contains("secret"))
        // The other kinds do not look at these keys.
        configuration.storage.kind = .memory
        let other = try #require(throws: ConfigurationError.self) { try configuration.check([]) }
        #expect(!"\(other)".contains("redis"))
    }
}
