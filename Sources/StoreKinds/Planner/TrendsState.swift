package import Stores

/// How much was done.
package struct TrendsState: StateSlice, Equatable {
    package static let key: StaticString = "trends"

    /// No session counts as far, and one that goes on from there still can.
    private static let countRange = 0...Int.max / 2

    package var added = 0
    package var completed = 0
    package var removed = 0

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        added = try kept.member("added", in: Self.countRange)
        completed = try kept.member("completed", in: Self.countRange)
        removed = try kept.member("removed", in: Self.countRange)
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("added", added)
        members.member("completed", completed)
        members.member("removed", removed)
    }
}
