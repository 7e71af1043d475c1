import Stores

/// The wall clock of a server and of its stores, as a parameter.
package struct Clock: StoreClock {
    private let read: @Sendable () -> Int

    /// - Parameter now: milliseconds since 1970-01-01T00:00:00Z.
    package init(now: @escaping @Sendable () -> Int) { read = now }

    package func now() -> Int { read() }

    /// Waits in real time, as long as `moment` is away.
    package func sleep(until moment: Int) async throws(CancellationError) {
        let system = SystemClock()
        let (due, isTooFar) = moment.addingReportingOverflow(system.now() - now())
        try await system.sleep(until: isTooFar ? moment : due)
    }
}
