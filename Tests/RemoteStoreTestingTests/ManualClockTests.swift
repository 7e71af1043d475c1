import RemoteStoreTesting
import StorehouseClient
import Testing

/// Timers run when the test moves the time.
@MainActor @Suite struct ManualClockTests {
    private let clock = ManualClock(time: 1_000_000)

    @Test func `timers run in order, each at its time`() {
        var times: [Double] = []
        for delay in [20.0, 10, 30] {
            _ = clock.schedule(after: delay) { [clock] in MainActor.assumeIsolated { times.append(clock.now) } }
        }
        clock.advance(by: .milliseconds(20))
        #expect(times == [10, 20])
        #expect(clock.timerCount == 1)
        #expect(clock.wallTime == 1_000_020)
    }

    @Test func `a cancelled timer does not run`() {
        let timer = clock.schedule(after: 1) { Issue.record("the timer has run") }
        timer.cancel()
        clock.advance(by: .seconds(1))
        #expect(clock.timerCount == 0)
    }
}
