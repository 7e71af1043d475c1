package import Stores

/// Counts what the actions of tasks do: a reducer that watches another slice.
///
/// It stands before the tasks' reducer, so that it sees them as they were before the action.
package struct TrendsReducer: Reducer {
    package init() {}

    package func concerns(_ action: PlannerAction) -> Bool {
        switch action {
        case .trends, .tasks: true
        case .calendar, .settings: false
        }
    }

    package func decide(_ action: PlannerAction, in state: PlannerState) -> Decision {
        action == .trends(.reset) ? .accept : .ignore
    }

    package func reduce(_ state: inout PlannerState, _ action: PlannerAction) {
        switch action {
        case .trends(.reset): state.trends = TrendsState()
        case .tasks(.add): state.trends.added += 1
        case .tasks(.edit(let id, let change)):
            let becomesDone = change.isDone == true && state.tasks.table[id]?.isDone == false
            if becomesDone { state.trends.completed += 1 }
        case .tasks(.remove): state.trends.removed += 1
        case .tasks, .calendar, .settings: break
        }
    }
}
