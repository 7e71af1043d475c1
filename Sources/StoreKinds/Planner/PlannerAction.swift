package import Stores

/// The actions of the planner's slices, nested.
package enum PlannerAction: CataloguedAction, Equatable {
    case tasks(TasksAction)
    case calendar(CalendarAction)
    case trends(TrendsAction)
    case settings(SettingsAction)

    package static let catalogue = ActionCatalogue<PlannerAction>(
        joining:
            TasksAction.catalogue.embedded(in: .tasks),
        CalendarAction.catalogue.embedded(in: .calendar),
        TrendsAction.catalogue.embedded(in: .trends),
        SettingsAction.catalogue.embedded(in: .settings))
}

extension CasePath<PlannerAction, TasksAction> {
    static var tasks: Self {
        Self(embed: { .tasks($0) }, lend: { if case .tasks(let action) = $0 { $1(action) } })
    }
}

extension CasePath<PlannerAction, CalendarAction> {
    static var calendar: Self {
        Self(embed: { .calendar($0) }, lend: { if case .calendar(let action) = $0 { $1(action) } })
    }
}

extension CasePath<PlannerAction, TrendsAction> {
    static var trends: Self {
        Self(embed: { .trends($0) }, lend: { if case .trends(let action) = $0 { $1(action) } })
    }
}

extension CasePath<PlannerAction, SettingsAction> {
    static var settings: Self {
        Self(embed: { .settings($0) }, lend: { if case .settings(let action) = $0 { $1(action) } })
    }
}
