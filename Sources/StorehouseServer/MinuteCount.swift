/// Adds up what happens often, for one line in the log a minute.
package struct MinuteCount: Sendable {
    private var count = 0
    private var reportsAt: Int?

    package init() {}

    /// - Parameter now: in milliseconds.
    /// - Returns: the sum since the last report, if it is time for the next one.
    package mutating func add(_ count: Int, now: Int) -> Int? {
        self.count += count
        if let reportsAt, now < reportsAt { return nil }
        reportsAt = now + 60_000
        defer { self.count = 0 }
        return self.count
    }
}
