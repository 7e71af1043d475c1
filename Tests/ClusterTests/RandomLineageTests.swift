import Cluster
import Testing

/// A storage with a replica, which is restarted and replaced, and nodes that come back in any order.
@Suite("The eras of a storage to which everything happens")
struct RandomLineageTests {
    @Test("nobody goes on with lost commits under the name of the same histories", arguments: UInt64(0)..<40)
    func losses(seed: UInt64) throws {
        var storage = Storage(seed: seed, replicas: 0)
        for _ in 0..<2000 { try storage.step() }
        #expect(storage.lossCount > 3 && storage.writeCount > 100, "nothing was lost")
    }

    @Test("with replicas that confirm each commit no histories get other names", arguments: UInt64(0)..<10)
    func confirmed(seed: UInt64) throws {
        var storage = Storage(seed: seed, replicas: 1)
        for _ in 0..<2000 { try storage.step() }
        #expect(storage.lossCount == 0 && storage.writeCount > 100)
    }

    /// SplitMix64 (Steele et al., 2014), so that each seed is the same run.
    private struct SeededRandom: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
            return word ^ (word >> 31)
        }
    }

    /// The data of a server.
    private struct Contents {
        var lineage = ""
        var loss = 0
        /// The process of the server in which a node opened them last.
        var run = 0
        /// The id of the server when a node opened them last.
        var era = ""
        /// The writes, each of which has a number of its own.
        var writes: [Int] = []
    }

    /// Knows writes, and the name of the newest loss when it learned of them.
    private struct Node {
        var loss = 0
        var writes: [Int] = []
        var witness: StorageLineage.Witness?
        /// The connection that it has, by its number; nil for none.
        var connection: Int?
        /// The id of the server when it connected.
        var era = ""
    }

    private struct Storage {
        private let terms: StorageLineage.Terms
        private let isConfirmed: Bool
        private var random: SeededRandom
        private var (primary, replica) = (Contents(), Contents())
        private var server = StorageLineage.Server(id: "0", formerID: nil, place: "p0")
        private var place = "p0"
        private var nodes = Array(repeating: Node(), count: 4)
        /// The knowledge of clients of nodes that may be gone: the newest write, and the name of the loss.
        private var clients: [(loss: Int, write: Int)] = []
        /// How many ids of servers there were, and how many processes, whose connections end with them.
        private var (eraCount, connections) = (0, 0)
        private(set) var (lossCount, writeCount) = (0, 0)

        init(seed: UInt64, replicas: Int) {
            terms = StorageLineage.Terms(replicas: replicas, isRelaxed: false)
            isConfirmed = replicas > 0
            random = SeededRandom(seed: seed)
        }

        mutating func step() throws {
            let index = Int.random(in: nodes.indices, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case ..<30: try connect(index)
            case ..<70: if nodes[index].connection == connections { write(index) }
            case ..<85: if nodes[index].connection == connections { load(index) }
            case ..<92: replica = primary
            case ..<95: nodes[index] = Node()
            case ..<97: begin(after: nil)
            case ..<98: rename()
            default:
                primary = replica
                begin(after: server.id)
            }
        }

        /// The server is started, or another one takes its place. All connections are lost.
        private mutating func begin(after former: String?) {
            eraCount += 1
            connections += 1
            if former != nil { place = "p\(eraCount)" }
            server = StorageLineage.Server(id: "\(eraCount)", formerID: former, place: place)
        }

        /// The server takes another id, and keeps its connections.
        private mutating func rename() {
            eraCount += 1
            server = StorageLineage.Server(id: "\(eraCount)", formerID: nil, place: place)
        }

        private mutating func write(_ index: Int) {
            writeCount += 1
            primary.writes.append(writeCount)
            if !primary.lineage.isEmpty, isConfirmed { replica = primary }
            nodes[index].writes.append(writeCount)
            nodes[index].witness = StorageLineage.Witness(era: nodes[index].era, count: primary.writes.count)
            clients.append((primary.loss, writeCount))
        }

        /// The node shows what others have written.
        private mutating func load(_ index: Int) {
            nodes[index].writes = primary.writes
            nodes[index].witness = StorageLineage.Witness(era: nodes[index].era, count: primary.writes.count)
        }

        private mutating func connect(_ index: Int) throws {
            // A node that finds another era on record connects anew.
            guard nodes[index].connection != connections || nodes[index].era != primary.era else { return }
            let isFirst = primary.lineage.isEmpty
            var lineage = StorageLineage(stored: primary.lineage)
            let isLossy = lineage.begin(
                at: server, count: primary.writes.count, isSameRun: isFirst ? nil : primary.run == connections,
                witness: nodes[index].witness, terms)
            (primary.lineage, primary.run, primary.era) = (lineage.stored, connections, server.id)
            if isLossy {
                lossCount += 1
                primary.loss = writeCount * 1000 + eraCount + 1
            }
            // A replica without any session has no histories.
            if isConfirmed || isFirst { replica = primary }
            if nodes[index].loss != primary.loss { nodes[index].writes = [] }
            nodes[index].loss = primary.loss
            (nodes[index].connection, nodes[index].era) = (connections, server.id)
            nodes[index].witness = StorageLineage.Witness(era: server.id, count: primary.writes.count)
            let present = Set(primary.writes)
            try #require(nodes[index].writes.allSatisfy(present.contains), "node \(index) shows what is lost")
            for client in clients where client.loss == primary.loss {
                try #require(present.contains(client.write), "a client goes on with a commit that is lost")
            }
        }
    }
}
