package import StoreHosting

/// The counts of changed tasks. ``Planner`` counts what the actions of the tasks do.
package struct Trends: Sendable, Equatable {
    /// The maximum count. No session reaches it, and a restored session at the maximum can still count.
    private static let countRange = 0...Int.max / 2

    package var added = 0
    package var completed = 0
    package var removed = 0

    package init() {}

    package static let reset = Action<Trends, Void>("reset", "Begins to count from 0 again.") { $0 = Trends() }

    package static let elements = StoreElements<Trends> {
        Member("added", \.added)
        Member("completed", \.completed)
        Member("removed", \.removed)
        Check("added", mustBeACount) { countRange.contains($0.added) }
        Check("completed", mustBeACount) { countRange.contains($0.completed) }
        Check("removed", mustBeACount) { countRange.contains($0.removed) }
        reset
    }

    private static let mustBeACount = "must be from \(countRange.lowerBound) to \(countRange.upperBound)"
}
