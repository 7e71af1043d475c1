import Stores

extension PlannerState {
    package var summary: PlannerSummary { PlannerSummary(self) }

    /// The favourite tasks, in the order of all tasks.
    package var favoriteTasks: [PlannedTask] {
        let favorites = Set(tasks.favorited)
        return tasks.table.ordered.filter { favorites.contains($0.id) }
    }

    /// The planner's selectors, for a state that holds a planner.
    static func selectors<State>(
        _ planner: @escaping @Sendable (State) -> PlannerState
    ) -> [Selector<State>] {
        [
            Selector("summary", "How many tasks are open, done, favourite and overdue.") { planner($0).summary },
            Selector("favoriteTasks", "The favourite tasks, in the order of all tasks.") { planner($0).favoriteTasks },
        ]
    }
}
