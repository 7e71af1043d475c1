package import Platform
import Sockets

/// Decides which calls may be repeated.
package enum RetryRule {
    /// The stage in which an attempt without a response failed.
    package enum FailureStage: Sendable {
        /// The connection was refused, so no byte was sent.
        case refused
        /// There was no connection for another reason.
        case unconnected
        /// The connection broke. The service may have processed the request.
        case broken
        /// Another attempt would fail in the same way.
        case permanent
    }

    /// True if sending the request twice has the effect of sending it once (RFC 9110, 9.2.2).
    package static func isIdempotent(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"].contains(method)
    }

    /// True if a request may be retried after an attempt without a response.
    package static func allows(_ isIdempotent: Bool, after stage: FailureStage) -> Bool {
        switch stage {
        case .refused: true
        case .unconnected, .broken: isIdempotent
        case .permanent: false
        }
    }

    /// True if a request may be retried after a response with this status.
    package static func allows(_ isIdempotent: Bool, afterStatus status: Int) -> Bool {
        isIdempotent && [429, 502, 503, 504].contains(status)
    }

    /// True if a request follows the `Location` of a response with this status.
    package static func follows(_ method: String, status: Int) -> Bool {
        (method == "GET" || method == "HEAD") && [301, 302, 303, 307, 308].contains(status)
    }
}

/// The delay before a retry: exponential with full jitter, so that calls that failed together are not retried together.
/// (Brooker 2015, "Exponential Backoff And Jitter".)
package enum Backoff {
    private static let first = Duration.milliseconds(100)
    private static let longest = Duration.seconds(5)

    /// - Parameters:
    ///   - retry: 1 for the first.
    ///   - jitter: a random number from 0 to 1.
    ///   - retryAfter: the delay that the service asked for (RFC 9110, 10.2.3); the result is never shorter.
    package static func delay(beforeRetry retry: Int, jitter: Double, retryAfter: Duration?) -> Duration {
        let doublings = min(max(retry - 1, 0), 16)
        let bound = min(first * (1 << doublings), longest)
        return (retryAfter ?? .zero) + bound * min(max(jitter, 0), 1)
    }
}

/// Limits retries by the number of calls, so that retries do not multiply the load on a failing service.
///
/// Each call adds a quarter of a retry and each second adds ten, up to a hundred. So a single failure always gets its
/// retries, and a service that is down gets little more than the calls themselves.
package struct RetryBudget: Sendable {
    private static let most = 100.0
    private static let perSecond = 10.0
    private static let perCall = 0.25

    private var saved = most
    private var since: MonotonicInstant

    package init(at now: MonotonicInstant) {
        since = now
    }

    /// Counts a call that is not a retry.
    package mutating func countCall() {
        saved = min(saved + Self.perCall, Self.most)
    }

    /// Takes one retry.
    ///
    /// - Returns: false if none is left.
    package mutating func takeRetry(at now: MonotonicInstant) -> Bool {
        let passed = since.duration(to: now).inSeconds
        since = now
        saved = min(saved + max(passed, 0) * Self.perSecond, Self.most)
        guard saved >= 1 else { return false }
        saved -= 1
        return true
    }
}
