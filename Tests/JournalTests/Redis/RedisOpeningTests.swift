import Foundation
import Journal
import Locks
import RedisJournal
import RedisTesting
import Security
import StoreHosting
import Testing
import Threads

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
        for layout in ["2", "6"] {
            try server.execute("HSET", "{test}:meta", "layout", layout)
            try expectRefusal("layout \(layout)") { try server.open(secret: "another secret") }
        }
    }

    /// As nodes of an earlier release list themselves: these cannot speak to this one.
    @Test(
        "waits for the lease of a dead node of an earlier release, refuses beside a live one, and then stays new",
        arguments: ["3", "4"])
    func earlierNodes(layout: String) async throws {
        let server = try RedisServer()
        await (try server.open()).closed()
        @Sendable func list(_ life: Int, until end: Int) throws {
            try server.execute("HSET", "{test}:meta", "layout", layout)
            try server.execute("HSET", "{test}:nodes", String(life), "\(end) 10.0.0.9:80")
            try server.execute("HSET", "{test}:releases", String(life), "3")
        }
        let now = try #require(Int(try server.execute("TIME")[0])) * 1000
        try list(1, until: now + 3_600_000)
        let waiting = Task { try server.open() }
        // The node renews its lease 50 times a second. It has a thread of its own, because tasks wait while other tests hold
        // all threads of theirs.
        let (isRenewing, hasEnded) = (Locked(true), Promise<Void>())
        Thread {
            var end = now + 3_600_000
            while isRenewing.withLock(\.self) {
                end += 1000
                try? list(1, until: end)
                usleep(20_000)
            }
            hasEnded.fulfill(())
        }.start()
        let refusal = await #expect(throws: StorageError.self) { _ = try await waiting.value }
        #expect(refusal?.description.contains("the node 10.0.0.9:80 has an earlier release") == true)
        isRenewing.withLock { $0 = false }
        await hasEnded.value()

        try list(1, until: now + 3_600_000)
        let patient = Task { try server.open() }
        try list(1, until: now)
        await (try await patient.value).closed()
        #expect(try server.execute("HGET", "{test}:meta", "layout") == ["5"])
        #expect(try server.execute("EXISTS", "{test}:releases") == ["0"])
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
