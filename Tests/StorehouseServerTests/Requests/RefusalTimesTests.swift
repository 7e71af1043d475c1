import StorehouseServer
import Testing

/// Refusals that must not tell whether there is a session leave at set times after their requests.
@Suite struct RefusalTimesTests {
    private static func leavingTime(of age: Int) -> Duration { .nanoseconds(age) + RefusalTimes.delay(of: age) }

    @Test func refusalsThatTookDifferentTimesLeaveAtTheSameTime() {
        let first = Self.leavingTime(of: 0)
        for age in [1, 1000, 999_999, 5_000_000, 9_999_999] { #expect(Self.leavingTime(of: age) == first) }
        #expect(first == .milliseconds(10))
    }

    @Test func aRefusalThatTookLongerLeavesAtALaterSetTime() {
        #expect(Self.leavingTime(of: 10_000_000) == .milliseconds(20))
        #expect(Self.leavingTime(of: 1_234_567_890) == .milliseconds(1240))
    }
}
