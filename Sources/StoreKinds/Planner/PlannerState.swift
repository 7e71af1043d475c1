package import Stores

/// Tasks, calendar, trends and settings.
package struct PlannerState: HostedState, StateObject, Restorable, Equatable {
    package var tasks = TasksState()
    package var calendar = CalendarState()
    package var trends = TrendsState()
    package var settings = SettingsState()

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) {
        tasks = try kept.slice()
        calendar = try kept.slice()
        trends = try kept.slice()
        settings = try kept.slice()
    }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.slice(tasks)
        members.slice(calendar)
        members.slice(trends)
        members.slice(settings)
    }

    package func visitHidden(_ members: inout HiddenMembers) { members.slice(tasks) }
}
