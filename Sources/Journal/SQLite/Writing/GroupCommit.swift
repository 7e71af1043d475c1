import Dispatch

/// Decides for how many commands the next transaction waits.
///
/// A sync costs the same for one command as for many. Under load a transaction therefore waits for a quarter as many commands as
/// recent ones had, but not longer than a sync takes. Where few commands come together, none waits.
package struct GroupCommit: Sendable {
    /// How long a transaction waits at most.
    static let timeout = DispatchTimeInterval.microseconds(300)

    /// The size of the newest transaction, or that of a larger one before it, of which each transaction since takes a quarter away.
    private var recentCount = 0

    package init() {}

    /// A transaction has executed that many commands.
    package mutating func record(_ count: Int) { recentCount = max(count, recentCount * 3 / 4) }

    /// The number of commands to wait for.
    package var wantedCount: Int { recentCount / 4 }
}
