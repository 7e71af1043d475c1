/// How many of a loop's streams are told at a time that the server drains.
///
/// A handful goes at once. A crowd goes little by little, so that its clients do not come back to another server at one stroke,
/// within a quarter of the time that the drain has.
package struct DrainPace: Sendable {
    /// From one batch to the next.
    package static var pause: Duration { .milliseconds(20) }

    private static var handful: Int { 100 }

    /// How many go at a time.
    package let batch: Int

    /// - Parameters:
    ///   - count: all of the loop's streams.
    ///   - timeout: how long the drain lasts.
    package init(_ count: Int, within timeout: Duration) {
        let time = min(timeout / 4, .milliseconds(count))
        let batches = max(1, Int(time / Self.pause))
        batch = count <= Self.handful ? max(1, count) : (count + batches - 1) / batches
    }
}
