/// Decides what a watcher does when its stream has ended.
package struct WatchReconnection: Sendable {
    /// How a connection ended.
    package enum End: Sendable, Hashable {
        /// The last event was `closed`, with this reason.
        case closed(reason: String)
        /// The stream broke off after it had begun.
        case broken
        /// Nothing came for longer than the server is silent.
        case silent
        /// There was no answer.
        case unreachable(String)
        /// An answer that is not a stream.
        /// - after: the seconds of `Retry-After`.
        case answered(status: Int, problem: String, after: Int?)
    }

    package enum Step: Sendable, Hashable {
        /// The session has ended: there is nothing left to watch.
        case finish
        case fail(String)
        /// Reconnect after this time.
        case retry(Duration, reason: String)
    }

    /// The longest time between two attempts, unless the server asks for more.
    private static let maxDelay = Duration.seconds(30)

    /// The time that the server asked for with `retry:`.
    package var base = Duration.seconds(1)
    /// Whether each request has new credentials, so that their end is not that of the watch.
    package var renewsCredentials = false
    private var failures = 0
    private var hasStreamed = false

    package init() {}

    /// How long the next byte of a server is awaited before it is given up: two of its heartbeats are missing then.
    ///
    /// - Parameter heartbeat: the longest silence that the stream has promised; nil if it has not said yet, or never does.
    package static func readTimeout(_ heartbeat: Duration?) -> Duration {
        // The time of a server that does not say. A shorter one than a second would mistake a slow machine for a dead one.
        max((heartbeat ?? .seconds(15)) * 2.5, .seconds(1))
    }

    /// The stream has begun.
    package mutating func began() {
        failures = 0
        hasStreamed = true
    }

    /// - Parameter random: from 0 to 1. Clients that lost their server together do not come back together.
    package mutating func next(_ end: End, random: Double) -> Step {
        switch end {
        case .closed("session-ended"), .answered(status: 204, _, _): return .finish
        case .closed("expired") where renewsCredentials:
            return .retry(.zero, reason: "the token has expired")
        case .closed("expired"): return .fail("the credentials have expired")
        case .closed("revoked"): return .fail("the share was revoked")
        case .closed(let reason): return retry(reason, random)
        case .broken: return retry("the connection broke", random)
        // It has been waited for long enough, and the network may have lost this connection only.
        case .silent: return .retry(.zero, reason: "the server is silent")
        case .unreachable(let reason):
            // A first attempt that fails is most likely a wrong address.
            return hasStreamed ? retry(reason, random) : .fail(reason)
        case .answered(let status, let problem, let after):
            guard status == 429 || status == 502 || status == 503 || status == 504 else { return .fail(problem) }
            return retry(problem, random, atLeast: .seconds(after ?? 0))
        }
    }

    private mutating func retry(_ reason: String, _ random: Double, atLeast: Duration = .zero) -> Step {
        let doubled = min(base * Double(1 << min(failures, 16)), Self.maxDelay)
        failures += 1
        return .retry(max(doubled, base, atLeast) * (1 + random / 2), reason: reason)
    }
}
