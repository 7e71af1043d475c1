import CommandLine
import Testing

@Suite struct WatchReconnectionTests {
    private static func delay(_ step: WatchReconnection.Step) -> Duration? {
        if case .retry(let delay, _) = step { delay } else { nil }
    }

    @Test(arguments: [
        (WatchReconnection.End.closed(reason: "session-ended"), WatchReconnection.Step.finish),
        (.answered(status: 204, problem: "", after: nil), .finish),
        (.closed(reason: "expired"), .fail("the credentials have expired")),
        (.closed(reason: "revoked"), .fail("the share was revoked")),
        (.answered(status: 404, problem: "unknown", after: nil), .fail("unknown")),
        (.answered(status: 401, problem: "who", after: 5), .fail("who")),
        (.answered(status: 500, problem: "damaged", after: nil), .fail("damaged")),
        (.answered(status: 200, problem: "no stream", after: nil), .fail("no stream")),
        (.unreachable("refused"), .fail("refused")),
    ])
    func someEndsAreFinal(end: WatchReconnection.End, step: WatchReconnection.Step) {
        var reconnection = WatchReconnection()
        #expect(reconnection.next(end, random: 0) == step)
    }

    @Test(arguments: [
        WatchReconnection.End.closed(reason: "draining"), .closed(reason: "rotated"), .broken,
        .answered(status: 503, problem: "draining", after: nil), .unreachable("refused"),
    ])
    func theServerDecidesWhenToReturn(end: WatchReconnection.End) {
        var reconnection = WatchReconnection()
        reconnection.began()
        reconnection.base = .milliseconds(2500)
        #expect(Self.delay(reconnection.next(end, random: 0)) == .milliseconds(2500))
    }

    /// The reasons of refusals that pass are those of ends.
    @Test(arguments: ["draining", "unavailable", "overloaded", "too-many-streams", "rate-limited", "new-reason"])
    func aRefusalThatPassesIsWaitedFor(reason: String) {
        var reconnection = WatchReconnection()
        reconnection.began()
        reconnection.base = .seconds(7)
        #expect(
            reconnection.next(.closed(reason: reason), random: 0) == .retry(.seconds(7), reason: reason))
    }

    @Test func newCredentialsFollowThoseThatHaveExpired() {
        var reconnection = WatchReconnection()
        reconnection.renewsCredentials = true
        #expect(Self.delay(reconnection.next(.closed(reason: "expired"), random: 1)) == .zero)
    }

    @Test func aSilentServerIsAskedAgainAtOnce() {
        var reconnection = WatchReconnection()
        reconnection.began()
        reconnection.base = .seconds(3)
        #expect(Self.delay(reconnection.next(.silent, random: 1)) == .zero)
    }

    @Test(arguments: [
        (Optional(Duration.seconds(2)), Duration.seconds(5)), (nil, .milliseconds(37_500)),
        (.milliseconds(100), .seconds(1)),
    ])
    func twoMissingHeartbeatsEndTheWait(heartbeat: Duration?, timeout: Duration) {
        #expect(WatchReconnection.readTimeout(heartbeat) == timeout)
    }

    @Test func failuresDoubleTheDelayUpToHalfAMinute() {
        var reconnection = WatchReconnection()
        reconnection.began()
        let delays = (0..<8).map { _ in Self.delay(reconnection.next(.unreachable("refused"), random: 0)) }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        reconnection.began()
        #expect(Self.delay(reconnection.next(.broken, random: 0)) == .seconds(1))
    }

    @Test func aLongTimeOfTheServerIsNotShortened() {
        var reconnection = WatchReconnection()
        reconnection.base = .seconds(90)
        #expect(Self.delay(reconnection.next(.broken, random: 0)) == .seconds(90))
        let busy = WatchReconnection.End.answered(status: 503, problem: "busy", after: 120)
        #expect(Self.delay(reconnection.next(busy, random: 0)) == .seconds(120))
    }

    @Test func clientsDoNotReturnTogether() {
        var reconnection = WatchReconnection()
        #expect(Self.delay(reconnection.next(.broken, random: 1)) == .milliseconds(1500))
    }
}
