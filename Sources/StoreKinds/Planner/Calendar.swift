package import StoreHosting
package import Stores

/// The selected day.
package struct CalendarState: StateSlice, Equatable {
    package static let key: StaticString = "calendar"

    /// `YYYY-MM-DD`.
    package var selectedDay: String?

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) {
        selectedDay = try persisted.member("selectedDay")
    }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("selectedDay", selectedDay)
    }
}

/// The actions of the calendar slice.
package enum CalendarAction: DeclaredAction, Equatable {
    case selectDay(String?)

    package static let catalogue = ActionSchema<CalendarAction>([
        ActionDeclaration(
            "calendar/selectDay", "Selects a day, or none.",
            fields: Field.day("day", example: "2026-12-24").nullable().described("The day; null for none."),
            embed: { .selectDay($0) },
            extract: { if case .selectDay(let day) = $0 { .some(day) } else { nil } })
    ])
}

/// Selects a day.
package struct CalendarReducer: Reducer {
    package init() {}

    package func decide(_ action: CalendarAction, in state: CalendarState) -> Decision { .accept }

    package func reduce(_ state: inout CalendarState, _ action: CalendarAction) {
        switch action {
        case .selectDay(let day): state.selectedDay = day
        }
    }
}
