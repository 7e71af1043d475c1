/// Whether a running effect is about to bring a result, so that a host that shuts down waits for it.
///
/// A remote call ends by its own deadline. A delay, a timer or an effect that waits for events may take for ever, and begins
/// again after a restart. So an effect counts while it calls a remote service, and for a moment after that and after its start:
/// it is about to send its result, or to make its call.
package struct EffectActivity: Sendable {
    /// How long an effect counts after its last call. A busy machine needs some time for the result.
    package static let timeAfterCall = Duration.seconds(5)
    /// How long an effect counts that has made no call yet.
    package static let timeAfterStart = Duration.seconds(1)

    private var calls = 0
    private var hasCalled = false
    private var isDelayed = false
    /// When the last change was.
    private var since: ContinuousClock.Instant

    /// The effect is started: it waits until its commit is durable, then for its delay.
    package init(at now: ContinuousClock.Instant) { since = now }

    package mutating func delayBegan() { isDelayed = true }

    package mutating func operationBegan(at now: ContinuousClock.Instant) { (isDelayed, since) = (false, now) }

    package mutating func callBegan() { (calls, hasCalled) = (calls + 1, true) }

    package mutating func callEnded(at now: ContinuousClock.Instant) { (calls, since) = (max(0, calls - 1), now) }

    package func isAwaited(at now: ContinuousClock.Instant) -> Bool {
        if calls > 0 { return true }
        return !isDelayed && now - since < (hasCalled ? Self.timeAfterCall : Self.timeAfterStart)
    }
}
