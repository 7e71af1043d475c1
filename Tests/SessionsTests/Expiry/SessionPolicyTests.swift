import Sessions
import Testing

/// The decisions about which sessions there are, and which stay in memory.
@Suite struct SessionPolicyTests {
    private var policy: SessionPolicy {
        var policy = SessionPolicy()
        policy.maxSessions = 100
        policy.maxResident = 20
        policy.idleTimeout = 1000
        return policy
    }

    @Test(arguments: [(1, 0, true), (100, 99, true), (101, 0, false), (1, 100, false)])
    func thereAreNoMoreSessionsThanMayBe(_ resident: Int, _ stored: Int, _ isAdmitted: Bool) {
        #expect(policy.admits(resident: resident, stored: stored) == isAdmitted)
    }

    @Test func expiryComesBeforeEviction() {
        #expect(policy.lookup(isExpired: false, hasFailed: false) == .use)
        #expect(policy.lookup(isExpired: false, hasFailed: true) == .evict)
        #expect(policy.lookup(isExpired: true, hasFailed: true) == .evict)
    }

    @Test(arguments: [(100, 100, 1000), (5000, 1000, 1000)])
    func anUnusedSessionLivesNoLongerThanAUsedOne(_ unusedTimeout: Int, _ unused: Int, _ used: Int) {
        var policy = policy
        policy.unusedTimeout = unusedTimeout
        #expect(policy.timeout(isUsed: false) == unused)
        #expect(policy.timeout(isUsed: true) == used)
    }

    @Test(arguments: [
        (0, 0, true, SessionPolicy.never), (0, 0, false, SessionPolicy.never), (60, 0, false, 60_000),
        (0, 60, false, 60_000), (0, 60, true, SessionPolicy.never), (30, 60, false, 30_000),
    ])
    func aTimeoutOfZeroIsNever(_ idle: Int, _ unused: Int, _ isUsed: Bool, _ timeout: Int) {
        var policy = policy
        policy.idleTimeout = SessionPolicy.timeout(.seconds(idle))
        policy.unusedTimeout = SessionPolicy.timeout(.seconds(unused))
        #expect(policy.timeout(isUsed: isUsed) == timeout)
    }

    @Test func aTimeoutBelowAMillisecondIsNotNever() {
        #expect(SessionPolicy.timeout(.microseconds(1)) == 1)
    }

    @Test(arguments: [(100, 20), (1000, 50), (86_400_000, 10_000)])
    func theSweepIntervalFollowsTheTimeout(_ timeout: Int, _ interval: Int) {
        var policy = policy
        policy.idleTimeout = timeout
        #expect(policy.sweepInterval == interval)
    }

    @Test func hibernationMakesSomeMoreRoomThanNeeded() {
        #expect(policy.hibernationGoal(resident: 20) == nil)
        #expect(policy.hibernationGoal(resident: 21) == 18)
    }

    @Test func theLeastRecentlyUsedHibernatesFirst() {
        let candidates = [("b", lastActiveAt: 2), ("c", lastActiveAt: 3), ("a", lastActiveAt: 1)]
        #expect(policy.hibernationOrder(candidates) == ["a", "b", "c"])
    }
}
