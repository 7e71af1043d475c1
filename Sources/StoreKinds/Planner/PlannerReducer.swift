package import Stores

/// The planner's reducers, composed.
package struct PlannerReducer: ComposedReducer {
    package init() {}

    package var body: some Reducer<PlannerState, PlannerAction> {
        // Before the tasks' own, which it watches.
        TrendsReducer()
        Slice(\.tasks, .tasks, TasksReducer())
        Slice(\.calendar, .calendar, CalendarReducer())
        Slice(\.settings, .settings, SettingsReducer())
    }
}
