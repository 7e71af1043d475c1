package import Sockets

/// Says which calls may be repeated after what.
package enum RetryRule {
    /// How far an attempt came that brought no answer.
    package enum Breakage: Sendable {
        /// The connection was refused: not a byte was sent.
        case refused
        /// There was no connection to send on, for another reason.
        case unconnected
        /// The connection broke; the service may have seen the request.
        case broken
        /// Another attempt would meet the same.
        case lasting
    }

    /// Whether sending the request twice is as good as once (RFC 9110, 9.2.2).
    package static func isIdempotent(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"].contains(method)
    }

    /// Whether a request is tried again after an attempt that brought no answer.
    package static func allows(_ isIdempotent: Bool, after breakage: Breakage) -> Bool {
        switch breakage {
        case .refused: true
        case .unconnected, .broken: isIdempotent
        case .lasting: false
        }
    }

    /// Whether a request is tried again after an answer with this status.
    package static func allows(_ isIdempotent: Bool, afterStatus status: Int) -> Bool {
        isIdempotent && [429, 502, 503, 504].contains(status)
    }

    /// Whether a request follows the `Location` of an answer with this status.
    package static func follows(_ method: String, status: Int) -> Bool {
        (method == "GET" || method == "HEAD") && [301, 302, 303, 307, 308].contains(status)
    }
}

/// How long to wait before a retry: exponential, with full jitter, so that those who failed together do not come back
/// together. (Brooker 2015, "Exponential Backoff And Jitter".)
package enum Backoff {
    private static let first = Duration.milliseconds(100)
    private static let longest = Duration.seconds(5)

    /// - Parameters:
    ///   - retry: 1 for the first.
    ///   - jitter: a random number from 0 to 1.
    ///   - retryAfter: what the service asked for (RFC 9110, 10.2.3); it is not cut short.
    package static func delay(beforeRetry retry: Int, jitter: Double, retryAfter: Duration?) -> Duration {
        let doublings = min(max(retry - 1, 0), 16)
        let bound = min(first * (1 << doublings), longest)
        return (retryAfter ?? .zero) + bound * min(max(jitter, 0), 1)
    }
}

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
