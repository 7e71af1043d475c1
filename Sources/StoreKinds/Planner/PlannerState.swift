package import JSON
import Stores

/// Tasks, calendar, trends and settings.
package struct PlannerState: HostedState, Equatable {
    package var tasks = TasksState()
    package var calendar = CalendarState()
    package var trends = TrendsState()
    package var settings = SettingsState()

    package init() {}

    func encodeSlices(into json: inout JSONWriter) {
        json.slice(tasks)
        json.slice(calendar)
        json.slice(trends)
        json.slice(settings)
    }

    package func encode(into json: inout JSONWriter) {
        json.object { encodeSlices(into: &$0) }
    }
}
