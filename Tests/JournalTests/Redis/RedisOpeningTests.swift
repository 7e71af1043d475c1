import Foundation
import Journal
import RedisJournal
import RedisTesting
import Security
import StoreHosting
import Testing

@Suite("Opening Redis", .timeLimit(.minutes(5)))
struct RedisOpeningTests {
    @Test("refuses a server that would lose commits, another key or secret, and another layout, and says which")
    func refusals() async throws {
        for options in [["--appendonly", "no"], ["--appendonly", "yes", "--appendfsync", "everysec"]] {
            let server = try RedisServer(options)
            #expect(throws: StorageError.self) { try server.open() }
        }
        let relaxed = try RedisServer(["--appendonly", "yes", "--appendfsync", "everysec"])
        await (try relaxed.open(.relaxed)).closed()

        let server = try RedisServer()
        await (try server.open()).closed()
        let other = try AESSealer(key: [UInt8](repeating: 8, count: AESSealer.keyLength))
        try expectRefusal("storage.key") { try server.open(sealer: other) }
        try expectRefusal("cluster.secret") { try server.open(secret: "another secret") }
        await (try server.open()).closed()
        #expect(try server.execute("HGETALL", "{test}:meta").allSatisfy { !$0.contains("a secret of all nodes") })
        try server.execute("HDEL", "{test}:meta", "secret")
        await (try server.open(secret: "another secret")).closed()
        for layout in ["2", "4"] {
            try server.execute("HSET", "{test}:meta", "layout", layout)
            try expectRefusal("layout \(layout)") { try server.open(secret: "another secret") }
        }
    }

    @Test("takes a server that hides its settings if the operator vouches for them, and says so otherwise")
    func hiddenSettings() async throws {
        let server = try RedisServer(RedisServer.durable + ["--rename-command", "CONFIG", ""])
        try expectRefusal("storage.redis.settings") { try server.open() }
        let journal = try server.open(settingsAre: .trusted)
        let session = journal.create(Step.session())
        Step.store(session).step(3)
        #expect(await session.awaitDurable() == nil && journal.isAvailable)
        await journal.closed()
    }

    @Test("names a Sentinel")
    func sentinel() throws {
        let configuration = TestDirectory.parent + "/sentinel-\(UUID()).conf"
        try Data().write(to: URL(filePath: configuration))
        defer { try? FileManager.default.removeItem(atPath: configuration) }
        let sentinel = try RedisServer([], sentinel: configuration)
        try expectRefusal("this is a Redis Sentinel") { try sentinel.open() }
    }

    private func expectRefusal(_ part: String, _ open: () throws -> RedisJournal) throws {
        let error = try #require(throws: StorageError.self) { _ = try open() }
        #expect(error.description.contains(part))
    }

    @Test("says again why a server cannot be used, if that has changed")
    func changedReason() async throws {
        let server = try RedisServer()
        let events = StorageEvents()
        let journal = try server.open(report: events.report)
        server.kill()
        try await events.wait { if case .disconnected = $0 { true } else { false } }
        try await events.wait { $0 == .disconnected("unix://\(server.socket): connect: Connection refused") }
        await journal.closed()
    }

    @Test("waits for a server that is away at the start, and tells then why it must not be used")
    func lateRefusal() async throws {
        let server = try RedisServer()
        await (try server.open()).closed()
        let other = try AESSealer(key: [UInt8](repeating: 8, count: AESSealer.keyLength))
        let openings: [(String, (@escaping @Sendable (StorageEvent) -> Void) throws -> RedisJournal)] = [
            ("storage.key", { try server.open(sealer: other, waitTimeout: .zero, report: $0) }),
            ("cluster.secret", { try server.open(secret: "another secret", waitTimeout: .zero, report: $0) }),
        ]
        for (part, open) in openings {
            server.kill()
            let events = StorageEvents()
            let journal = try open(events.report)
            #expect(!journal.isAvailable)
            try await events.wait { if case .disconnected = $0 { true } else { false } }
            try server.start()
            try await events.wait { if case .refused(let detail) = $0 { detail.contains(part) } else { false } }
            await journal.closed()
        }
        server.kill()
        let events = StorageEvents()
        let journal = try server.open(waitTimeout: .zero, report: events.report)
        try server.start()
        try await events.wait { $0 == .recovered }
        try await eventually { journal.isAvailable }
        await journal.closed()
    }
}
