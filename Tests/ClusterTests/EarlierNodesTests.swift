import Cluster
import Testing

struct EarlierNodesTests {
    @Test func withoutOthersANodeTakesPart() {
        var nodes = EarlierNodes()
        #expect(nodes.look([:]) == .join)
    }

    @Test func theLeaseOfADeadNodeHasToEnd() {
        var nodes = EarlierNodes()
        #expect(nodes.look(["a": 5, "b": 5]) == .wait("a"))
        #expect(nodes.look(["b": 5]) == .wait("b"))
        #expect(nodes.look([:]) == .join)
    }

    @Test func aNodeThatRenewsItsLeaseHasToBeStopped() {
        var nodes = EarlierNodes()
        #expect(nodes.look(["a": 5, "b": 5]) == .wait("a"))
        #expect(nodes.look(["a": 5, "b": 6]) == .refuse("b"))
        #expect(nodes.look(["a": 5, "b": 6]) == .refuse("b"))
    }
}
