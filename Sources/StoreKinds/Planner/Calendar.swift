package import StoreHosting

/// The selected day.
package struct Calendar: Sendable, Equatable {
    /// `YYYY-MM-DD`.
    package var selectedDay: String?

    package init() {}

    package static let selectDay = Action<Calendar, String?>(
        "selectDay", "Selects a day, or none.",
        Field.day("day", example: "2026-12-24").nullable().described("The day; null for none.")
    ) { $0.selectedDay = $1 }

    package static let elements = StoreElements<Calendar> {
        Member("selectedDay", \.selectedDay)
        selectDay
    }
}
