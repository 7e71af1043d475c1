import HTTP2
import Platform
import Testing

/// How many frames without a request a client may send.
@Suite struct HTTP2AbuseTests {
    private func at(_ milliseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    @Test func aBurstIsAllowedAndNoMore() {
        var abuse = HTTP2Abuse(now: at(0))
        let refusals = (1...1001).map { _ in abuse.wasted(now: at(0)) }
        #expect(refusals.firstIndex(of: true) == 1000)
    }

    @Test func aSteadyRateIsAllowed() {
        #expect(firstRefusal(among: 10_000, every: 10) == nil)
    }

    /// Instants closer together than the time for one more frame add up.
    @Test func twiceTheRateIsTooMuch() {
        let first = firstRefusal(among: 5000, every: 5)
        #expect(first.map { (1990...2010).contains($0) } == true)
    }

    private func firstRefusal(among count: Int, every milliseconds: Int) -> Int? {
        var abuse = HTTP2Abuse(now: at(0))
        return (1...count).first { abuse.wasted(now: at($0 * milliseconds)) }
    }

    @Test func aPauseGivesTheBurstBackOnce() {
        var abuse = HTTP2Abuse(now: at(0))
        for _ in 1...1000 { _ = abuse.wasted(now: at(0)) }
        let refusals = (1...1001).map { _ in abuse.wasted(now: at(3_600_000)) }
        #expect(refusals.firstIndex(of: true) == 1000)
    }

    @Test func windowsAreOpenedForWhatWasSent() {
        var abuse = HTTP2Abuse(now: at(0))
        let refusals = (1...1001).map { _ in abuse.windowOpened() }
        #expect(refusals.firstIndex(of: true) == 1000)
        abuse = HTTP2Abuse(now: at(0))
        for _ in 1...100_000 {
            abuse.sent(frames: 1, bytes: 100)
            let isTooMuch = [abuse.windowOpened(), abuse.windowOpened()]
            #expect(isTooMuch == [false, false])
        }
    }
}
