import Stores

/// Selects a day.
package struct CalendarReducer: Reducer {
    package init() {}

    package func reduce(_ state: inout CalendarState, _ action: CalendarAction) {
        switch action {
        case .selectDay(let day): state.selectedDay = day
        }
    }
}
