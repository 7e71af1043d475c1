import Platform

/// The source of time of a store. Its effects and timers wait by it.
///
/// Times are absolute wall clock times, so a deadline in a state means the same after a restart.
public protocol StoreClock: Sendable {
    /// The current time in milliseconds since 1970.
    func now() -> Int

    /// Waits until `moment`. Returns at once if it has passed.
    ///
    /// - Parameter moment: milliseconds since 1970.
    /// - Throws: `CancellationError` as soon as the task is cancelled, also if it was cancelled before the call.
    func sleep(until moment: Int) async throws(CancellationError)
}

/// The wall clock of the system.
///
/// A sleep reads the clock again every ten seconds. If the clock is set forward meanwhile, the sleep ends at most ten seconds
/// late. If it is set back, the sleep does not end early.
public struct SystemClock: StoreClock {
    /// The longest time without a look at the clock, in milliseconds.
    static var maxInterval: Int { 10_000 }

    /// The clock of the system.
    public init() {}

    public func now() -> Int { systemTime() }

    public func sleep(until moment: Int) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        var time = now()
        while time < moment {
            do {
                try await Task.sleep(for: .milliseconds(min(moment - time, Self.maxInterval)))
            } catch {
                throw CancellationError()
            }
            time = now()
        }
    }
}
