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
