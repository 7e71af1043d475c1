/// Tells when a line of the log that may be due often is written again: after a minute.
package struct ReportInterval: Sendable {
    private static let milliseconds = 60_000

    private var lastReport: Int?

    package init() {}

    /// Whether the minute since the last report has passed, or there was none. If so, this is a report.
    ///
    /// - Parameter now: milliseconds of any clock that does not step.
    package mutating func isDue(now: Int) -> Bool {
        if let lastReport, now - lastReport < Self.milliseconds { return false }
        lastReport = now
        return true
    }
}
