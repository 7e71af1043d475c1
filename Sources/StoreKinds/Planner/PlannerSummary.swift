package import JSON
import Stores

/// The planner in numbers.
package struct PlannerSummary: Sendable, Equatable {
    package var open = 0
    package var done = 0
    package let favorites: Int
    /// Open tasks due before the selected day.
    package var overdue = 0

    package init(_ state: PlannerState) {
        favorites = state.tasks.favorited.count
        let today = state.calendar.selectedDay
        for task in state.tasks.table.ordered {
            if task.isDone {
                done += 1
            } else {
                open += 1
                if let today, let due = task.due, due < today { overdue += 1 }
            }
        }
    }
}

extension PlannerSummary: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("open", open)
            json.member("done", done)
            json.member("favorites", favorites)
            json.member("overdue", overdue)
        }
    }
}
