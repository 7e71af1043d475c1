package import JSON

/// The day that is looked at.
package struct CalendarState: StateSlice, Equatable {
    package static let key: StaticString = "calendar"

    /// `YYYY-MM-DD`.
    package var selectedDay: String?

    package init() {}

    package func encode(into json: inout JSONWriter) {
        json.object { $0.member("selectedDay", selectedDay) }
    }
}
