import ClusterSimulation
import Testing

@Suite("Many nodes, whatever breaks")
struct SimulationTests {
    @Test("keep every promise", arguments: [(1, 3, 20), (2, 5, 100), (3, 40, 2000)] as [(UInt64, Int, Int)])
    func promises(seed: UInt64, nodes: Int, sessions: Int) throws {
        let simulation = Simulation(.init(seed: seed, nodeCount: nodes, sessionCount: sessions))
        let summary = try simulation.run(steps: 20_000)
        print(summary)
    }
}
