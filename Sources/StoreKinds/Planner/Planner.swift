package import StoreHosting
import Stores

/// Tasks, calendar, trends and settings.
package struct Planner: Sendable, Equatable {
    package var tasks = Tasks()
    package var calendar = Calendar()
    package var trends = Trends()
    package var settings = Settings()

    package init() {}

    package static let tasks = Part("tasks", \Planner.tasks) { Tasks.elements }
    package static let calendar = Part("calendar", \Planner.calendar) { Calendar.elements }
    package static let trends = Part("trends", \Planner.trends) { Trends.elements }
    package static let settings = Part("settings", \Planner.settings) { Settings.elements }

    package static let elements = StoreElements<Planner> {
        // Above the tasks, so that each sees them before the action.
        Follow(tasks, Tasks.add) { planner, _, _ in planner.trends.added += 1 }
        Follow(tasks, Tasks.edit) { planner, id, _, _, isDone in
            if isDone == true, planner.tasks.table[id]?.isDone == false { planner.trends.completed += 1 }
        }
        Follow(tasks, Tasks.remove) { planner, _ in planner.trends.removed += 1 }
        tasks
        calendar
        trends
        settings
        Selector("summary", "How many tasks are open, done, favourite and overdue.") { $0.summary }
        Selector("favoriteTasks", "The favourite tasks, in the order of all tasks.") { $0.favoriteTasks }
    }

    package static let store = StoreDefinition(
        "planner", "Tasks in a normalized state, a calendar, trends and settings.", Planner()
    ) { elements }
}

extension Planner {
    package var summary: PlannerSummary { PlannerSummary(self) }

    /// The favourite tasks, in the order of all tasks.
    package var favoriteTasks: [PlannedTask] {
        let favorites = Set(tasks.favorited)
        return tasks.table.ordered.filter { favorites.contains($0.id) }
    }
}

/// The planner in counts.
package struct PlannerSummary: Sendable, Equatable, Codable {
    package var open = 0
    package var done = 0
    package let favorites: Int
    /// Open tasks due before the selected day.
    package var overdue = 0

    package init(_ state: Planner) {
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
