import Foundation
import JSON
import Observability
import StorehouseServer
import Stores
import Testing

/// A model says what a server answers, records and sends, whoever asks.
@Suite("A model of who may do what", .timeLimit(.minutes(180)))
struct AccessModelTests {
    enum Place: String, CaseIterable {
        case memory, sqlite, redis, twoNodes
    }

    /// More of them for a longer search, as script/soak does it.
    private static let count = number("TEST_MODEL_STEPS") ?? 1000
    private static let seed = number("TEST_MODEL_SEED") ?? 36

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    private static let configuration = TestTokens.configuration { $0.sessions.defaultStore = "guild" }

    private static func serve(
        _ place: Place, _ body: @Sendable ([any TestServing], GuildKind, (() -> Void)?) async throws -> Void
    ) async throws {
        let guild = GuildKind()
        let kinds = [guild.kind]
        switch place {
        case .memory:
            try await TestAPI.run(kinds: kinds, configuration: configuration, logging: .error) {
                try await body([$0], guild, nil)
            }
        case .sqlite, .redis:
            let durable = try DurableServer(onRedis: place == .redis)
            try await durable.runAPI(kinds: kinds, configuration: configuration) { api in
                try await body([api], guild, api.api.hibernate)
            }
        case .twoNodes:
            try await TestCluster.run(kinds: kinds, configuration: configuration) { cluster in
                try await body([cluster.first, cluster.second], guild, nil)
            }
        }
    }

    @Test("says each answer, entry of the log and event of a server", arguments: Place.allCases)
    func sameAsTheServer(_ place: Place) async throws {
        try await Self.serve(place) { servers, guild, rest in
            for (round, start) in stride(from: 0, to: Self.count, by: ModelRun.length).enumerated() {
                let seed = UInt64(Self.seed + round)
                let steps = ModelRun.steps(min(ModelRun.length, Self.count - start), seed: seed)
                do {
                    try await ModelRun.make(steps, on: servers, guild, rest: rest)
                } catch let failure as ModelRun.Failure {
                    return try await Self.report(failure, steps, seed: seed, place, servers, guild, rest)
                }
                if Self.count > 5000, round % 20 == 19 {
                    print("\(place): \(start + steps.count) of \(Self.count) steps, seed \(Self.seed)")
                }
            }
        }
    }

    /// Tells the seed, the step, and the fewest steps that fail.
    private static func report(
        _ failure: ModelRun.Failure, _ steps: [ModelStep], seed: UInt64, _ place: Place, _ servers: [any TestServing],
        _ guild: GuildKind, _ rest: (() -> Void)?
    ) async throws {
        var last = failure
        var fewest = Array(steps.prefix(failure.step + 1))
        // To wait for what never comes takes too long to try again.
        if failure.cause is ModelWorld.Mismatch {
            fewest = await ModelRun.shortened(fewest) { fewer in
                do {
                    try await ModelRun.make(fewer, on: servers, guild, rest: rest)
                    return false
                } catch let failure as ModelRun.Failure where failure.cause is ModelWorld.Mismatch {
                    last = failure
                    return true
                } catch {
                    return false
                }
            }
        }
        let list = fewest.enumerated().map { "  \($0): \($1)" }.joined(separator: "\n")
        Issue.record(
            """
            \(place) fails with seed \(seed) at \(failure)
            These steps fail still, at \(last)
            \(list)
            """)
    }

    @Test("gives the fewest steps that fail")
    func shortened() async {
        let steps = ModelRun.steps(100, seed: 1)
        let needed = Set([steps[17], steps[60]].map(\.description))
        let fewest = await ModelRun.shortened(steps) { fewer in needed.isSubset(of: fewer.map(\.description)) }
        #expect(Set(fewest.map(\.description)) == needed && fewest.count == 2)
    }
}
