import Journal
import Testing

@Suite("How many commands the next transaction waits for")
struct GroupCommitTests {
    private func wanted(after counts: Int...) -> Int {
        var policy = GroupCommit()
        for count in counts { policy.record(count) }
        return policy.wantedCount
    }

    @Test("none at first, and none where few come together")
    func few() {
        #expect(GroupCommit().wantedCount == 0)
        #expect(wanted(after: 1, 2, 3, 1) == 0)
    }

    @Test("a quarter of what the last one had")
    func many() {
        #expect(wanted(after: 4) == 1)
        #expect(wanted(after: 8, 64) == 16)
    }

    @Test("soon none again after a large one")
    func decay() {
        #expect(wanted(after: 64, 1) == 12)
        var policy = GroupCommit()
        policy.record(64)
        for _ in 0..<12 { policy.record(1) }
        #expect(policy.wantedCount == 0)
    }
}
