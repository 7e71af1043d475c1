import Cluster
import Testing

@Suite("The clock of Redis, as a node knows it")
struct RemoteClockTests {
    @Test("is known to half of the time that an answer takes, and better with each shorter one")
    func bounds() {
        var clock = RemoteClock()
        expect(clock.offset, nil)
        // Redis is 5000 ahead. The answers take 100, and then 2.
        clock.take(5100, sentAt: 100, receivedAt: 200)
        expect(abs((clock.offset ?? 0) - 5000) <= 100, true)
        clock.take(5301, sentAt: 300, receivedAt: 302)
        expect(abs((clock.offset ?? 0) - 5000) <= 2, true)
        let known = clock.offset
        // A slow answer does not make it worse.
        clock.take(5900, sentAt: 400, receivedAt: 5000)
        expect(clock.offset, known)
    }

    @Test("is followed when it is set")
    func setting() {
        var clock = RemoteClock()
        clock.take(5000, sentAt: 0, receivedAt: 1)
        clock.take(1000, sentAt: 10, receivedAt: 11)
        expect(abs((clock.offset ?? 0) - 990) <= 2, true)
    }

    @Test("agrees with that of the node up to 30 seconds, and nothing is trusted beyond, from the first answer on")
    func agreement() {
        var agreement = ClockAgreement()
        expect(agreement.take(ahead: 30_000, now: 0), nil)
        expect(agreement.difference, nil)
        expect(agreement.take(ahead: -30_001, now: 10), .differs(-30_001))
        expect(agreement.difference, -30_001)
        expect(agreement.take(ahead: -31_000, now: 20), nil)
        expect(agreement.take(ahead: 0, now: 30), .agrees)
        expect(agreement.difference, nil)
        expect(agreement.take(ahead: 0, now: 40), nil)
    }

    @Test("keeps a node from being ready if it differs for some seconds, as at the start of a machine")
    func readiness() {
        var agreement = ClockAgreement()
        _ = agreement.take(ahead: 40_000, now: 1000)
        _ = agreement.take(ahead: 41_000, now: 3000)
        expect(agreement.isReady(at: 1000 + ClockAgreement.grace - 1), true)
        expect(agreement.isReady(at: 1000 + ClockAgreement.grace), false)
        _ = agreement.take(ahead: 1, now: 9000)
        expect(agreement.isReady(at: 9000), true)
        _ = agreement.take(ahead: 40_000, now: 10_000)
        expect(agreement.isReady(at: 10_001), true)
    }
}
