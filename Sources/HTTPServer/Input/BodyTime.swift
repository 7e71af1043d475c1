/// How long a body may take to arrive.
///
/// A client that sends a body byte by byte holds memory and a connection for as long as it likes, up to the timeout. After a grace
/// period a body must therefore have come at a minimum rate on average.
package struct BodyTime: Sendable, Hashable {
    /// The time in which no rate is required.
    package static let grace = Duration.seconds(5)

    /// The time for a whole body, at whatever rate it comes.
    package var timeout: Duration
    /// In bytes a second; 0 requires none.
    package var minRate: Int

    package init(timeout: Duration, minRate: Int = 0) {
        self.timeout = timeout
        self.minRate = minRate
    }

    /// The time from the end of the head at which a body of which so many bytes have arrived is late, unless more arrive before.
    package func limit(received byteCount: Int) -> Duration {
        guard minRate > 0 else { return timeout }
        return min(timeout, max(Self.grace, .seconds(Double(byteCount) / Double(minRate))))
    }
}
