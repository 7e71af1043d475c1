package import Sockets

/// Bounds retries by the number of calls, so that an outage is not multiplied by those who meet it.
///
/// Every call brings a quarter of a retry, every second ten, and a hundred can be saved: a single fault never goes
/// without its retries, and a service that is down sees little more than the calls themselves.
package struct RetryBudget: Sendable {
    private static let most = 100.0
    private static let perSecond = 10.0
    private static let perCall = 0.25

    private var saved = most
    private var since: LoopInstant

    package init(at now: LoopInstant) {
        since = now
    }

    /// A call, which is not a retry, begins.
    package mutating func countCall() {
        saved = min(saved + Self.perCall, Self.most)
    }

    /// Takes one retry.
    /// - Returns: false if there is none.
    package mutating func takeRetry(at now: LoopInstant) -> Bool {
        let passed = since.duration(to: now) / .seconds(1)
        since = now
        saved = min(saved + max(passed, 0) * Self.perSecond, Self.most)
        guard saved >= 1 else { return false }
        saved -= 1
        return true
    }
}
