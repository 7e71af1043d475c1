import Cluster
import ClusterSimulation
import Testing

@Suite("What a node knows about the owners of sessions")
struct SessionDirectoryTests {
    private let mine = NodeIncarnation(number: 1, address: "a:1")
    private let other = NodeIncarnation(number: 2, address: "b:1")

    private func directory(maxOthers: Int = 8) -> SessionDirectory<String> {
        var directory = SessionDirectory<String>(maxOthers: maxOthers)
        directory.begin(mine)
        return directory
    }

    @Test("a session is claimed once, however many ask for it")
    func claim() throws {
        var directory = directory()
        #expect(directory.place(of: "s") == .unknown)
        let claim = try directory.requireClaim("s")
        #expect(claim.incarnation == mine)
        expect(directory.claim("s"), nil)
        #expect(directory.isClaiming("s") && directory.epoch(of: "s") == nil)
        expect(directory.take(.claimed(epoch: 3), for: claim), true)
        #expect(directory.epoch(of: "s") == 3)
        #expect(directory.owned == ["s"])
    }

    @Test("a session that is handed over is left to the other node for some time")
    func release() throws {
        var directory = directory()
        try directory.find("s", .claimed(epoch: 3))
        directory.release("s", epoch: 3)
        #expect(directory.place(of: "s") == .releasing)
        expect(directory.take(released: true, "s", epoch: 2), false)
        expect(directory.take(released: true, "s", epoch: 3), true)
        #expect(directory.place(of: "s") == .released)
        expect(directory.take(released: true, "s", epoch: 3), false)
        directory.endReservation("s", epoch: 2)
        #expect(directory.place(of: "s") == .released)
        directory.endReservation("s", epoch: 3)
        #expect(directory.place(of: "s") == .unknown)
        try directory.find("s", .claimed(epoch: 4))
        directory.release("s", epoch: 4)
        expect(directory.take(released: false, "s", epoch: 4), true)
        #expect(directory.place(of: "s") == .unknown)
    }

    @Test("without an incarnation nothing is claimed")
    func noLife() {
        var directory = SessionDirectory<String>()
        expect(directory.claim("s"), nil)
    }

    @Test("the answer to an earlier claim does not count")
    func lateAnswer() throws {
        var directory = directory()
        let first = try directory.requireClaim("s")
        expect(directory.take(.failed, for: first), true)
        let second = try directory.requireClaim("s")
        expect(directory.take(.claimed(epoch: 1), for: first), false)
        expect(directory.take(.claimed(epoch: 2), for: second), true)
        expect(directory.take(.owned(by: other), for: first), false)
        #expect(directory.epoch(of: "s") == 2)
    }

    @Test("a claim of an earlier incarnation does not count")
    func claimOfEarlierLife() throws {
        var directory = directory()
        let claim = try directory.requireClaim("s")
        expect(directory.end().isEmpty, true)
        directory.begin(NodeIncarnation(number: 9, address: "a:1"))
        expect(directory.take(.claimed(epoch: 1), for: claim), false)
        #expect(directory.place(of: "s") == .unknown)
    }

    @Test("all sessions are lost with the lease, and what is known about others stays")
    func end() throws {
        var directory = directory()
        try directory.find("s", .claimed(epoch: 1))
        try directory.find("t", .owned(by: other))
        expect(directory.end(), ["s"])
        #expect(directory.place(of: "s") == .unknown)
        #expect(directory.place(of: "t") == .elsewhere(other))
        expect(directory.claim("s"), nil)
    }

    @Test("a refused commit loses the session only in its own epoch")
    func lose() throws {
        var directory = directory()
        try directory.find("s", .claimed(epoch: 2))
        expect(directory.lose("s", epoch: 1), false)
        expect(directory.lose("s", epoch: 2), true)
        expect(directory.lose("s", epoch: 2), false)
        #expect(directory.place(of: "s") == .unknown)
    }

    @Test("an owner that refuses is forgotten, unless another was learned since")
    func forget() throws {
        var directory = directory()
        try directory.find("s", .owned(by: other))
        directory.forget("s", at: NodeIncarnation(number: 3, address: "c:1"))
        #expect(directory.place(of: "s") == .elsewhere(other))
        directory.forget("s", at: other)
        #expect(directory.place(of: "s") == .unknown)
    }

    @Test("a session that is not there is not remembered")
    func nothing() throws {
        var directory = directory()
        try directory.find("s", .nothing)
        #expect(directory.place(of: "s") == .unknown)
    }

    @Test("a node that drains claims nothing more")
    func drain() throws {
        var directory = directory()
        let claim = try directory.requireClaim("s")
        directory.drain()
        expect(directory.claim("t"), nil)
        expect(directory.take(.claimed(epoch: 1), for: claim), true)
        expect(directory.end(), ["s"])
    }

    @Test("so many owners of other sessions are remembered, and its own sessions always")
    func bound() throws {
        var directory = directory(maxOthers: 3)
        try directory.find("own", .claimed(epoch: 1))
        for id in ["a", "b", "c", "d"] { try directory.find(id, .owned(by: other)) }
        let known = ["a", "b", "c", "d"].filter { directory.place(of: $0) == .elsewhere(other) }
        #expect(known == ["d"])
        #expect(directory.epoch(of: "own") == 1)
    }
}
