package import JSON
package import Stores

/// The tasks, normalized: each stands once, all else are ids.
package struct TasksState: StateSlice, Equatable {
    package static let key: StaticString = "tasks"

    package var table = EntityTable<PlannedTask>()
    /// The ids of the favourites, in the order in which they became so.
    package var favorited: [Int] = []
    /// Never given twice, also when its task is gone.
    package var nextID = 1

    package init() {}

    package func encode(into json: inout JSONWriter) {
        json.object { json in
            table.encodeMembers(into: &json)
            json.member("favorited", favorited)
        }
    }
}
