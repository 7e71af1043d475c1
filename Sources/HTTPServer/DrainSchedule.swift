/// The schedule of a drain: streams end, then deferred responses are sent, then the remaining connections are closed.
///
/// Up to 100 streams end at once. More end in batches, within a quarter of the timeout, so that their clients do not all
/// reconnect to another server at the same moment.
package struct DrainSchedule: Sendable {
    /// The time between two batches of streams.
    package static var interval: Duration { .milliseconds(20) }

    private static var maxAtOnce: Int { 100 }

    /// How many streams end in each batch.
    package let batchSize: Int
    /// Responses that are deferred until effects end are sent after this time, so that they still reach their clients.
    package let respondsAfter: Duration
    /// The remaining connections are closed after this time.
    package let closesAfter: Duration

    /// - Parameters:
    ///   - streamCount: how many streams the loop has.
    ///   - timeout: how long the drain may take.
    ///   - streamTime: in which time streams end at the latest; nil for a quarter of the timeout.
    package init(streamCount: Int, timeout: Duration, streamTime: Duration? = nil) {
        let time = min(streamTime ?? timeout / 4, timeout / 4, .milliseconds(streamCount))
        let batches = max(1, Int(time / Self.interval))
        batchSize =
            streamCount <= Self.maxAtOnce ? max(1, streamCount) : (streamCount + batches - 1) / batches
        respondsAfter = timeout * 0.8
        closesAfter = timeout
    }
}
