import StorehouseClient
import Testing

@Suite struct WaitingTests {
    @Test func `waits grow with failures, up to thirty seconds`() {
        func delay(_ failures: Int, _ retry: Double = 0) -> Double {
            Backoff.delay(failures: failures, retry: retry, random: 1)
        }
        #expect([0, 1, 2, 3, 4, 5, 60].map { delay($0) } == [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        #expect(delay(1, 5000) == 10_000)
        #expect(Backoff.delay(failures: 3, retry: 0, random: 0) == 0)
    }

    @Test func `a server may ask for an hour at most`() {
        let asked: [Double?] = [2.5, 3600, 3601, 1e300, .infinity, 0, -1, -.infinity, .nan, nil]
        let hour = 3_600_000.0
        #expect(asked.map { Backoff.asked(seconds: $0) } == [2500, hour, hour, hour, hour, 0, 0, 0, 0, 0])
    }

    @Test func `an entry is settled when as many effects have ended as it started`() {
        var waits = EffectWaits()
        var settled: [Bool] = []
        waits.wait(for: 3...4, count: 2, isHeard: true) { settled.append($0) }
        waits.hear(phase: "running", cause: 3)
        waits.hear(phase: "succeeded", cause: 2)
        waits.hear(phase: "succeeded", cause: 3)
        #expect(settled.isEmpty)
        waits.hear(phase: "failed", cause: 4)
        #expect(settled == [true])
    }

    @Test func `effects that ended before the answer count`() {
        var waits = EffectWaits()
        var settled: [Bool] = []
        waits.hear(phase: "cancelled", cause: 3)
        waits.wait(for: 3...3, count: 1, isHeard: true) { settled.append($0) }
        #expect(settled == [true])
    }

    @Test func `nobody knows of effects that are not heard, or after a loss`() {
        var waits = EffectWaits()
        var settled: [Bool] = []
        waits.wait(for: 1...1, count: 1, isHeard: false) { settled.append($0) }
        waits.wait(for: 2...2, count: 1, isHeard: true) { settled.append($0) }
        #expect(settled == [false])
        waits.lose()
        #expect(settled == [false, false])
    }
}
