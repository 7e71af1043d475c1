package import JSON
package import StoreHosting
package import Stores

/// Tasks, calendar, trends and settings.
package struct PlannerState: HostedState, ObjectState, Restorable, Equatable {
    package var tasks = TasksState()
    package var calendar = CalendarState()
    package var trends = TrendsState()
    package var settings = SettingsState()

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        tasks = try persisted.slice()
        calendar = try persisted.slice()
        trends = try persisted.slice()
        settings = try persisted.slice()
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.slice(tasks)
        members.slice(calendar)
        members.slice(trends)
        members.slice(settings)
    }

    package func encodePrivate(into members: inout PrivateStateEncoder) { members.slice(tasks) }
}

/// The actions of the planner slices, nested.
package enum PlannerAction: DeclaredAction, Equatable {
    case tasks(TasksAction)
    case calendar(CalendarAction)
    case trends(TrendsAction)
    case settings(SettingsAction)

    package static let catalogue = ActionSchema<PlannerAction>(
        joining:
            TasksAction.catalogue.embedded(in: .tasks),
        CalendarAction.catalogue.embedded(in: .calendar),
        TrendsAction.catalogue.embedded(in: .trends),
        SettingsAction.catalogue.embedded(in: .settings))
}

extension CasePath<PlannerAction, TasksAction> {
    static var tasks: Self {
        Self(embed: { .tasks($0) }, extract: { if case .tasks(let action) = $0 { $1(action) } })
    }
}

extension CasePath<PlannerAction, CalendarAction> {
    static var calendar: Self {
        Self(embed: { .calendar($0) }, extract: { if case .calendar(let action) = $0 { $1(action) } })
    }
}

extension CasePath<PlannerAction, TrendsAction> {
    static var trends: Self {
        Self(embed: { .trends($0) }, extract: { if case .trends(let action) = $0 { $1(action) } })
    }
}

extension CasePath<PlannerAction, SettingsAction> {
    static var settings: Self {
        Self(embed: { .settings($0) }, extract: { if case .settings(let action) = $0 { $1(action) } })
    }
}

/// The reducers of the planner slices, composed.
package struct PlannerReducer: ComposedReducer {
    package init() {}

    package var body: some Reducer<PlannerState, PlannerAction> {
        // Before the reducer of the tasks, whose actions it counts.
        TrendsReducer()
        Scope(\.tasks, .tasks, TasksReducer())
        Scope(\.calendar, .calendar, CalendarReducer())
        Scope(\.settings, .settings, SettingsReducer())
    }
}

extension PlannerState {
    package var summary: PlannerSummary { PlannerSummary(self) }

    /// The favourite tasks, in the order of all tasks.
    package var favoriteTasks: [PlannedTask] {
        let favorites = Set(tasks.favorited)
        return tasks.table.ordered.filter { favorites.contains($0.id) }
    }

    /// The selectors of a state that contains a planner.
    static func selectors<State>(
        _ planner: @escaping @Sendable (State) -> PlannerState
    ) -> [Selector<State>] {
        [
            Selector("summary", "How many tasks are open, done, favourite and overdue.") { planner($0).summary },
            Selector("favoriteTasks", "The favourite tasks, in the order of all tasks.") { planner($0).favoriteTasks },
        ]
    }
}

/// The planner in counts.
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
