/// How long a client waits before it tries again.
package enum Backoff {
    private static let longest = 30_000.0
    private static let longestAsked = 3_600_000.0

    /// Milliseconds until the next attempt. Full jitter spreads clients that lost one server at the same moment.
    ///
    /// - Parameters:
    ///   - failures: how many attempts failed before this loss.
    ///   - retry: the base in milliseconds, as the server may set it.
    ///   - random: from 0 to 1.
    package static func delay(failures: Int, retry: Double, random: Double) -> Double {
        guard failures > 0 else { return random * 1000 }
        var limit = max(retry, 1000)
        for _ in 0..<failures where limit < longest { limit *= 2 }
        return random * min(longest, limit)
    }

    /// Milliseconds that a response asks for in the seconds of its `Retry-After`.
    package static func asked(by headers: [String: String]) -> Double {
        asked(seconds: headers["retry-after"].flatMap { Double($0) })
    }

    /// Milliseconds that a server asks for, an hour at most. It may have sent anything, also what is no number.
    package static func asked(seconds: Double?) -> Double {
        guard let seconds, seconds > 0 else { return 0 }
        return min(longestAsked, seconds * 1000)
    }
}
