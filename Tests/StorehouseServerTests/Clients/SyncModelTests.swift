import Foundation
import StoreHosting
import StorehouseServer
import Testing

/// Outboxes at random: each entry is run once, and no client shows a total that becomes less.
@Suite("Outboxes behind a bad relay", .timeLimit(.minutes(180)))
struct SyncModelTests {
    enum Place: String, CaseIterable {
        case memory, sqlite, redis
    }

    /// More of them for a longer search, as script/soak does it.
    private static let count = number("TEST_OUTBOX_RUNS") ?? 60
    private static let seed = number("TEST_OUTBOX_SEED") ?? 37

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("run each entry once, and tell of it with its value", arguments: Place.allCases)
    func once(_ place: Place) async throws {
        var counts: [String: Int] = [:]
        var durable = place == .memory ? nil : try DurableServer(onRedis: place == .redis)
        for seed in Self.seed..<Self.seed + max(1, Self.count / Place.allCases.count) {
            do {
                counts.merge(try await Self.run(UInt64(seed), &durable, place), uniquingKeysWith: +)
            } catch {
                Issue.record("seed \(seed), \(place): \(error)")
                return
            }
            if Self.count > 600, seed.isMultiple(of: 100) { print("\(place): seed \(seed)") }
        }
        // Or a part of the rules was never tried.
        let all = ["committed", "ignored", "rejected", "mismatched", "refused", "lost", "held", "repeated", "changed"]
        for what in all + ["twice at once", "stream"] { #expect(counts[what] ?? 0 > 5, "\(what): \(counts)") }
        #expect(place == .memory || counts["restart"] ?? 0 > 5)
    }

    /// - Parameter durable: the storage; nil for memory. A crash of the server leaves another one.
    private static func run(
        _ seed: UInt64, _ durable: inout DurableServer?, _ place: Place
    ) async throws -> [String: Int] {
        let kinds = [LedgerKind.make(isAsynchronous: seed.isMultiple(of: 2))]
        guard var storage = durable else {
            return try await TestAPI.run(kinds: kinds) { api in
                var run = try await OutboxRun(seed: seed, on: api)
                for _ in 0..<3 { try await run.makeSteps() }
                try await run.finish()
                return run.counts
            }
        }
        var run = try await storage.runAPI(kinds: kinds) { try await OutboxRun(seed: seed, on: $0) }
        for life in 0..<3 {
            let crashes = place == .sqlite && life == 1
            let result = try await storage.runAPI(kinds: kinds) { [run, storage] api in
                var run = run
                run.move(to: api)
                try await run.makeSteps()
                if life == 2 { try await run.finish() }
                return (run, crashes ? try storage.copy() : storage)
            }
            (run, storage) = result
        }
        durable = storage
        return run.counts
    }
}
