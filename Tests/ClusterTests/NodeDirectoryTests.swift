import Cluster
import Testing

@Suite("What a node knows about the others")
struct NodeDirectoryTests {
    private var nodes = NodeDirectory<Int>(maxOwners: 2, maxGone: 2)

    @Test("the owner of a session, until that refuses it")
    mutating func owners() {
        nodes.remember("a", of: 1)
        expect(nodes.owner(of: 1), "a")
        nodes.remember("b", of: 1)
        // A refusal of an earlier owner says nothing about the new one.
        nodes.forget("a", of: 1)
        expect(nodes.owner(of: 1), "b")
        nodes.forget("b", of: 1)
        expect(nodes.owner(of: 1), nil)
    }

    @Test("not more owners than it has room for")
    mutating func bound() {
        nodes.remember("a", of: 1)
        nodes.remember("a", of: 2)
        nodes.remember("b", of: 2)
        expect(nodes.owner(of: 1), "a")
        nodes.remember("a", of: 3)
        expect([1, 2, 3].compactMap { nodes.owner(of: $0) }, ["a"])
        expect(nodes.owner(of: 3), "a")
    }

    @Test("who joins and who leaves, and that one that has left owns nothing")
    mutating func members() {
        var change = nodes.take(["a", "b"])
        expect(change.joined, ["a", "b"])
        expect(change.left, [])
        nodes.remember("a", of: 1)
        nodes.remember("b", of: 2)
        change = nodes.take(["b", "c"])
        expect(change.joined, ["c"])
        expect(change.left, ["a"])
        expect(nodes.isAlive("a"), false)
        expect(nodes.isGone("a"), true)
        expect(nodes.owner(of: 1), nil)
        expect(nodes.owner(of: 2), "b")
        change = nodes.take(["a", "b", "c"])
        expect(change.joined, ["a"])
        expect(nodes.isGone("a"), false)
    }

    @Test("not more dead nodes than it has room for")
    mutating func dead() {
        for node in ["a", "b", "c"] { _ = nodes.take([node]) }
        expect(nodes.isGone("a") && nodes.isGone("b"), true)
        _ = nodes.take(["d"])
        expect(["a", "b", "c"].filter { nodes.isGone($0) }, ["c"])
    }

    @Test("that a node does not answer for longer than a second, and that it answers again")
    mutating func silence() {
        _ = nodes.take(["a"])
        expect(nodes.didNotAnswer("a", "refused", now: 0), false)
        expect(nodes.hasSilentNodes, true)
        expect(nodes.didNotAnswer("a", "refused", now: 1000), true)
        expect(nodes.didNotAnswer("a", "refused", now: 2000), false)
        expect(nodes.hasAnswered("a"), true)
        expect(nodes.hasSilentNodes, false)
        expect(nodes.hasAnswered("a"), false)
        // A short silence is not worth a line, and neither is its end.
        expect(nodes.didNotAnswer("a", "refused", now: 9000), false)
        expect(nodes.hasAnswered("a"), false)
    }

    @Test("that a node without a lease need not answer")
    mutating func left() {
        expect(nodes.didNotAnswer("a", "refused", now: 0), false)
        expect(nodes.hasSilentNodes, false)
        _ = nodes.take(["a"])
        expect(nodes.didNotAnswer("a", "refused", now: 0), false)
        _ = nodes.take([])
        expect(nodes.hasSilentNodes, false)
        expect(nodes.didNotAnswer("a", "refused", now: 5000), false)
    }
}
