package import Stores

/// The planner's reducers, composed.
package struct PlannerReducer: Reducer {
    private typealias Part<Rules: Reducer> = Slice<PlannerState, PlannerAction, Rules>

    // Opaque and not `any`, so that the compiler knows the types of the parts and specializes them.
    private let all: some Reducer<PlannerState, PlannerAction> = Compose {
        // Before the tasks' own, which it watches.
        TrendsReducer()
        Part(\.tasks, .tasks, TasksReducer())
        Part(\.calendar, .calendar, CalendarReducer())
        Part(\.settings, .settings, SettingsReducer())
    }

    package init() {}

    package func decide(_ action: PlannerAction, in state: PlannerState) -> Decision { all.decide(action, in: state) }
    package func reduce(_ state: inout PlannerState, _ action: PlannerAction) { all.reduce(&state, action) }
}
