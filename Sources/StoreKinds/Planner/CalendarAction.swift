package import Stores

/// What can be done with the calendar.
package enum CalendarAction: CataloguedAction, Equatable {
    case selectDay(String?)

    package static let catalogue = ActionCatalogue<CalendarAction>([
        ActionDeclaration(
            "calendar/selectDay", "Selects a day, or none.",
            fields: Field.day("day", example: "2026-12-24").nullable().described("The day; null for none."),
            embed: { .selectDay($0) },
            extract: { if case .selectDay(let day) = $0 { .some(day) } else { nil } })
    ])
}
