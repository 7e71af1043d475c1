/// Where a store reads the time, and how its effects and timers wait.
///
/// Moments are absolute and of the wall clock, so that a deadline that stands in a state means the same after a restart.
public protocol StoreClock: Sendable {
    /// The time: milliseconds since 1970.
    func now() -> Int

    /// Waits until `moment`; returns without waiting where it has passed.
    ///
    /// - Parameter moment: milliseconds since 1970.
    /// - Throws: as soon as the task is cancelled, also where it was before.
    func sleep(until moment: Int) async throws(CancellationError)
}
