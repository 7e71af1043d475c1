import HTTPServer
import Platform
import Sockets
import Testing

/// When the timer of a deadline is armed.
@Suite struct DeadlineTests {
    private func instant(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    @Test func movingADeadlineOnwardsArmsNoTimer() {
        var state = Deadline()
        #expect(state.set(instant(10)) == true)
        for later in 11..<20 { #expect(state.set(instant(later)) == false) }
        #expect(state.timerFired(now: instant(10)) == .arm(instant(19)))
        #expect(state.timerFired(now: instant(19)) == .expire)
    }

    @Test func anEarlierDeadlineArmsTheTimerAgain() {
        var state = Deadline()
        #expect(state.set(instant(10)) == true)
        #expect(state.set(instant(5)) == true)
        #expect(state.timerFired(now: instant(5)) == .expire)
    }

    @Test func aClearedDeadlineDoesNotExpire() {
        var state = Deadline()
        #expect(state.set(instant(10)) == true)
        state.clear()
        #expect(state.timerFired(now: instant(10)) == .none)
        #expect(state.set(instant(20)) == true)
    }

    /// The timer of the cleared deadline serves the next one.
    @Test func aTimerThatIsArmedIsUsedAgain() {
        var state = Deadline()
        #expect(state.set(instant(10)) == true)
        state.clear()
        #expect(state.set(instant(15)) == false)
        #expect(state.timerFired(now: instant(12)) == .arm(instant(15)))
        #expect(state.timerFired(now: instant(16)) == .expire)
    }

    /// The owner decides what follows; without a new deadline nothing does.
    @Test func anExpiredDeadlineCanBeSetAgain() {
        var state = Deadline()
        #expect(state.set(instant(10)) == true)
        #expect(state.timerFired(now: instant(10)) == .expire)
        #expect(state.set(instant(20)) == true)
    }
}
