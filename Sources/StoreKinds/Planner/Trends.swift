package import StoreHosting
package import Stores

/// The counts of changed tasks.
package struct TrendsState: StateSlice, Equatable {
    package static let key: StaticString = "trends"

    /// The maximum count. No session reaches it, and a restored session at the maximum can still count.
    private static let countRange = 0...Int.max / 2

    package var added = 0
    package var completed = 0
    package var removed = 0

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        added = try persisted.member("added", in: Self.countRange)
        completed = try persisted.member("completed", in: Self.countRange)
        removed = try persisted.member("removed", in: Self.countRange)
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("added", added)
        members.member("completed", completed)
        members.member("removed", removed)
    }
}

/// The actions of the trends slice. It counts actions of another slice.
package enum TrendsAction: DeclaredAction, Equatable {
    case reset

    package static let catalogue = ActionSchema<TrendsAction>([
        ActionDeclaration("trends/reset", "Begins to count from 0 again.", .reset)
    ])
}

/// Counts the changes of tasks: a reducer that follows the actions of another slice.
///
/// It runs before the reducer of the tasks, so it sees them before the action.
package struct TrendsReducer: Reducer {
    package init() {}

    package func concerns(_ action: PlannerAction) -> Bool {
        switch action {
        case .trends, .tasks: true
        case .calendar, .settings: false
        }
    }

    package func decide(_ action: PlannerAction, in state: PlannerState) -> Decision {
        action == .trends(.reset) ? .accept : .follow
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
