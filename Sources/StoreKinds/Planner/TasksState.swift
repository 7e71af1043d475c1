package import Stores

/// The tasks, normalized: each stands once, all else are ids.
package struct TasksState: StateSlice, Equatable {
    package static let key: StaticString = "tasks"

    package var table = EntityTable<PlannedTask>()
    /// The ids of the favourites, in the order in which they became so.
    @Stamped package var favorited: [Int] = []
    /// Never given twice, also when its task is gone.
    package var nextID = 1

    package init() {}

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.members(of: table)
        members.member("favorited", favorited, stamp: $favorited)
    }
}
