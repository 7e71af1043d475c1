import Platform

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

/// The wall clock of the system.
///
/// A sleep reads it again every ten seconds: where it is set forward meanwhile, the sleep ends that much too late at
/// most; where it is set back, the sleep does not end early.
public struct SystemClock: StoreClock {
    /// The longest that one sleep goes on without a look at the clock, in milliseconds.
    static var longestPiece: Int { 10_000 }

    /// The clock; all of them are the same.
    public init() {}

    public func now() -> Int { systemTime() }

    public func sleep(until moment: Int) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        var time = now()
        while time < moment {
            do {
                try await Task.sleep(for: .milliseconds(min(moment - time, Self.longestPiece)))
            } catch {
                throw CancellationError()
            }
            time = now()
        }
    }
}
