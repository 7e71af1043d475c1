package import Stores

/// The day that is looked at.
package struct CalendarState: StateSlice, Equatable {
    package static let key: StaticString = "calendar"

    /// `YYYY-MM-DD`.
    package var selectedDay: String?

    package init() {}

    package init(restoring kept: KeptValue) throws(RestorationFailure) { selectedDay = try kept.member("selectedDay") }

    package func visit(_ members: inout some StateMembers & ~Copyable) {
        members.member("selectedDay", selectedDay)
    }
}
