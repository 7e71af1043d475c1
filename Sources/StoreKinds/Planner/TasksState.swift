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

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        table = try kept.table()
        favorited = try kept.member("favorited")
        guard Set(favorited).count == favorited.count, favorited.allSatisfy(table.contains) else {
            throw kept.unreadable("must name tasks, each once", below: "favorited")
        }
        nextID = try kept.hidden("nextID", in: PlannedTask.idRange)
        guard table.ids.allSatisfy({ $0 < nextID }) else {
            throw kept.unreadable("must be below the next id", below: "ids")
        }
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.members(of: table)
        members.member("favorited", favorited, stamp: $favorited)
    }

    package func visitHidden(_ members: inout HiddenMembers) { members.member("nextID", nextID) }
}
