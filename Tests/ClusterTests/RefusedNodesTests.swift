import Cluster
import Testing

struct RefusedNodesTests {
    private var nodes = RefusedNodes()

    @Test mutating func anAddressIsLoggedOnceForEachReasonInAPeriod() {
        let first = [0, 1, RefusedNodes.interval - 1].map { nodes.isRefused("a", .notProven, now: $0) }
        let others = [("a", LinkVersion.Failure.version(2)), ("b", .notProven), ("a", .version(2))].map {
            nodes.isRefused($0, $1, now: 5)
        }
        let later = [0, 1].map { nodes.isRefused("a", .notProven, now: RefusedNodes.interval + $0) }
        #expect(first == [true, false, false])
        #expect(others == [true, true, false])
        #expect(later == [true, false])
    }

    @Test mutating func strangersDoNotFillTheLog() {
        let malformed = nodes.isRefused("a", .malformed, now: 0)
        #expect(!malformed)
        let lines = (0..<1000).filter { nodes.isRefused("\($0)", .notProven, now: $0) }
        #expect(lines.count == RefusedNodes.maxLines)
        let later = nodes.isRefused("b", .notProven, now: RefusedNodes.interval)
        #expect(later)
    }
}
