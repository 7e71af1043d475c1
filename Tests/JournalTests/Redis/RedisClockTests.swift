import Foundation
import Journal
import Platform
import RedisJournal
import RedisTesting
import StoreHosting
import Testing

@Suite("The time that nodes have in common", .timeLimit(.minutes(5)))
struct RedisClockTests {
    private static let day = 86_400_000

    @Test("is that of Redis, whatever the clock of the node says", arguments: [2 * day, -2 * day, 700_000, -700_000])
    func wrongClock(shift: Int) async throws {
        let server = try RedisServer()
        let events = StorageEvents()
        let journal = try server.open(now: nil, wall: { systemTime() + shift }, report: events.report)
        let time = try #require(journal.sharedTime)
        // Much less than the error of the clock, and much more than the longest answer.
        #expect(abs(time.now() - systemTime()) < 400_000)
        #expect(!time.isTrusted())
        try await events.wait { if case .clockDiffers(let detail) = $0 { detail.contains("seconds") } else { false } }
        try await eventually { time.problem()?.contains(shift > 0 ? "ahead of" : "behind") == true }
        await journal.closed()
    }

    @Test("is trusted by a node whose clock is right")
    func rightClock() async throws {
        let server = try RedisServer()
        let journal = try server.open(now: nil)
        let time = try #require(journal.sharedTime)
        #expect(time.isTrusted() && time.problem() == nil)
        await journal.closed()
    }

    @Test("deletes no idempotency record, and no trace of a session, as long as nobody knows which clock is wrong")
    func nothingIsForgotten() async throws {
        let server = try RedisServer()
        let journal = try server.open(now: nil, wall: { systemTime() + Self.day })
        let session = journal.create(Step.session())
        let store = Step.store(session)
        for number in 1...4 {
            let record = IdempotencyRecord(
                key: "k\(number)", fingerprint: 1, response: [1], revision: nil, at: systemTime() - Self.day)
            store.append(record, to: session)
            #expect(await session.awaitDurable() == nil)
        }
        #expect(try await journal.session("session").answers.map(\.key) == ["k1", "k2", "k3", "k4"])
        await journal.closed()
        let right = try server.open(now: nil)
        #expect(try await right.session("session").answers.isEmpty)
        await right.closed()
    }
}
