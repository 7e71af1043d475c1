import Cluster
import Testing

@Suite("The eras of the servers of a storage")
struct StorageLineageTests {
    private static let alone = StorageLineage.Terms(replicas: 0, isRelaxed: false)
    private static let confirmed = StorageLineage.Terms(replicas: 1, isRelaxed: false)
    private static let relaxed = StorageLineage.Terms(replicas: 1, isRelaxed: true)

    private func server(_ id: String, after former: String? = nil, at place: String = "p") -> StorageLineage.Server {
        StorageLineage.Server(id: id, formerID: former, place: place)
    }

    /// A storage on the server "a", with ten writes.
    private func first() -> StorageLineage {
        var lineage = StorageLineage()
        expect(lineage.begin(at: server("a"), count: 0, isSameRun: nil, witness: nil, Self.alone), false)
        return lineage
    }

    private func begin(
        _ lineage: inout StorageLineage, _ server: StorageLineage.Server, _ count: Int, knowing witness: (String, Int)?,
        _ terms: StorageLineage.Terms = alone, isSameRun: Bool = false
    ) -> Bool {
        // It goes through the storage each time.
        lineage = StorageLineage(stored: lineage.stored)
        return lineage.begin(
            at: server, count: count, isSameRun: isSameRun,
            witness: witness.map { StorageLineage.Witness(era: $0.0, count: $0.1) }, terms)
    }

    @Test("a restart that has lost nothing is no loss, for nodes that knew all and for new ones")
    func restart() {
        var lineage = first()
        expect(begin(&lineage, server("b"), 10, knowing: ("a", 10)), false)
        expect(begin(&lineage, server("b"), 25, knowing: ("a", 8)), false)
        expect(begin(&lineage, server("b"), 25, knowing: nil), false)
        expect(begin(&lineage, server("c"), 25, knowing: nil), false)
        expect(lineage.eras.map(\.start), [0, 10, 25])
        expect(lineage.eras.contains(where: \.isLossy), false)
    }

    @Test("a restart after which writes are missing that a node knows is a loss")
    func witness() {
        var lineage = first()
        expect(begin(&lineage, server("b"), 9, knowing: ("a", 10)), true)
        var same = first()
        expect(begin(&same, server("a"), 9, knowing: ("a", 10)), true)
        expect(same.eras.map(\.isLossy), [true])
    }

    @Test("a node that comes second finds the loss of what it knew, however many writes there are by then")
    func second() {
        var lineage = first()
        expect(begin(&lineage, server("b", after: "a"), 5, knowing: nil, Self.confirmed), false)
        expect(begin(&lineage, server("b"), 500, knowing: ("a", 10), Self.confirmed), true)
        // The next ones know it by the name of the loss.
        expect(begin(&lineage, server("b"), 500, knowing: ("a", 9), Self.confirmed), false)
        expect(begin(&lineage, server("b"), 600, knowing: ("b", 600), Self.confirmed), false)
    }

    @Test("a promoted replica counts as a loss, unless replicas confirm each write")
    func promotion() {
        var lineage = first()
        expect(begin(&lineage, server("b", after: "a"), 10, knowing: nil), true)
        expect(begin(&lineage, server("b", after: "a"), 20, knowing: ("a", 10)), false)
        expect(begin(&lineage, server("b", after: "a"), 20, knowing: nil), false)
        var confirmed = first()
        expect(begin(&confirmed, server("b", after: "a"), 10, knowing: ("a", 10), Self.confirmed), false)
        expect(begin(&confirmed, server("c", after: "b"), 9, knowing: ("b", 10), Self.confirmed), true)
    }

    @Test("a replica that was started as a primary is at another place, and counts as promoted")
    func otherPlace() {
        var lineage = first()
        expect(begin(&lineage, server("b", at: "q"), 10, knowing: nil), true)
    }

    @Test("a restart with relaxed durability counts as a loss, once")
    func relaxed() {
        var lineage = first()
        expect(begin(&lineage, server("b"), 10, knowing: nil, Self.relaxed), true)
        expect(begin(&lineage, server("b"), 10, knowing: ("a", 10), Self.relaxed), false)
    }

    @Test("a server that takes another id while it runs, as with its first replica, has lost nothing")
    func renaming() {
        for terms in [Self.alone, Self.confirmed, Self.relaxed] {
            var lineage = first()
            expect(begin(&lineage, server("b"), 10, knowing: nil, terms, isSameRun: true), false)
            // A node has written more before it noticed.
            expect(begin(&lineage, server("b"), 15, knowing: ("a", 15), terms, isSameRun: true), false)
            expect(lineage.eras.map(\.id), ["a", "b"])
            // That there are fewer writes than a node knows is a loss all the same.
            expect(begin(&lineage, server("b"), 15, knowing: ("a", 16), terms, isSameRun: true), true)
        }
    }

    @Test("a loss after a server has taken another id is found by nodes that know the id before")
    func lossAfterRenaming() {
        for (known, isLossy) in [(10, false), (11, true)] {
            var lineage = first()
            expect(begin(&lineage, server("b"), 5, knowing: nil, isSameRun: true), false)
            expect(begin(&lineage, server("c"), 10, knowing: nil), false)
            expect(begin(&lineage, server("c"), 500, knowing: ("a", known)), isLossy)
        }
    }

    @Test("a server that was a replica meanwhile counts as promoted, although it runs all the time")
    func demotion() {
        var lineage = first()
        expect(begin(&lineage, server("c", after: "b"), 10, knowing: nil, isSameRun: true), true)
    }

    @Test("data of an earlier release open without a loss on the server that wrote them, and after its restart")
    func earlierRelease() {
        for isSameRun in [true, false] {
            var lineage = StorageLineage()
            let isLossy = lineage.begin(
                at: server("a"), count: 10, isSameRun: isSameRun, witness: nil, Self.alone)
            expect(isLossy, false)
        }
        for (isSameRun, isLossy) in [(true, false), (false, true)] {
            var lineage = StorageLineage()
            let found = lineage.begin(
                at: server("b", after: "a"), count: 10, isSameRun: isSameRun, witness: nil, Self.alone)
            expect(found, isLossy)
        }
    }

    @Test("data that were deleted under a node, and a record that cannot be read, count as a loss")
    func damage() {
        var empty = StorageLineage()
        expect(begin(&empty, server("a"), 0, knowing: ("a", 1)), true)
        for text in ["a", "a:p:x:0", "a:p:1:2", ":p:1:0", "a:p:1:0:5", "a:p:1:0 b"] {
            var lineage = StorageLineage(stored: text)
            let isLossy = lineage.begin(at: server("b"), count: 9, isSameRun: nil, witness: nil, Self.alone)
            expect(isLossy, true)
        }
    }

    @Test("the record is bounded, and a node that was away for longer has seen a loss")
    func limit() {
        var lineage = first()
        for number in 0..<(2 * StorageLineage.limit) {
            expect(begin(&lineage, server("b\(number)"), 10, knowing: nil), false)
        }
        expect(lineage.eras.count, StorageLineage.limit)
        expect(begin(&lineage, server("c"), 10, knowing: ("b20", 10)), false)
        expect(begin(&lineage, server("d"), 10, knowing: ("b1", 10)), true)
    }
}
