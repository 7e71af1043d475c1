import Observability

/// Adds up what happens often, for one line in the log a minute.
package struct MinuteCount: Sendable {
    private var count = 0
    private var interval = ReportInterval()

    package init() {}

    /// - Parameter now: in milliseconds.
    /// - Returns: the sum since the last report, if it is time for the next one.
    package mutating func add(_ count: Int, now: Int) -> Int? {
        self.count += count
        guard interval.isDue(now: now) else { return nil }
        defer { self.count = 0 }
        return self.count
    }
}
