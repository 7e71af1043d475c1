package import Stores

/// Tasks, calendar, trends and settings.
package struct PlannerState: HostedState, StateObject, Equatable {
    package var tasks = TasksState()
    package var calendar = CalendarState()
    package var trends = TrendsState()
    package var settings = SettingsState()

    package init() {}

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.slice(tasks)
        members.slice(calendar)
        members.slice(trends)
        members.slice(settings)
    }
}
