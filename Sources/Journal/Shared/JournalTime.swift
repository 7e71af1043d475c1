import Locks
import Platform
import StoreHosting

/// The session time as a journal knows it: that of the server, once there is one.
package final class JournalTime: Sendable {
    /// A structure, because each access to a bare function in a `Locked` would wrap the function once more.
    private struct Source {
        var now: @Sendable () -> Int
    }

    private let source: Locked<Source>

    package init(_ now: @escaping @Sendable () -> Int) { source = Locked(Source(now: now)) }

    /// The current session time in milliseconds.
    package func callAsFunction() -> Int { source.withLock { $0.now }() }

    package func follow(_ now: @escaping @Sendable () -> Int) { source.withLock { $0.now = now } }

    /// The time until a server tells its own. Nothing gets older between two processes, because a journal does not know how
    /// much of that time counts.
    ///
    /// - Parameter last: recorded by an earlier process; nil to begin as the wall clock.
    static func since(_ last: SessionTimeReference?) -> @Sendable () -> Int {
        let (start, steady) = (last?.time ?? systemTime(), steadyTime())
        return { start + steadyTime() - steady }
    }
}

/// The date by which commits are too old: that of the wall clock, but no date to which somebody has set it forward since the
/// start. Deleted commits cannot be brought back when the clock is set right again.
package struct RetentionDate: Sendable {
    private let wall: @Sendable () -> Int
    private let steady: @Sendable () -> Int
    private let offset: Int

    /// - Parameters:
    ///   - wall: milliseconds since 1970.
    ///   - steady: milliseconds of a clock that nobody can set, and that runs while the machine sleeps.
    package init(
        wall: @escaping @Sendable () -> Int = systemTime,
        steady: @escaping @Sendable () -> Int = { continuousTime() / 1_000_000 }
    ) {
        (self.wall, self.steady) = (wall, steady)
        offset = wall() - steady()
    }

    package func now() -> Int { min(wall(), offset + steady()) }
}
