import CPortable

/// A moment in UTC by the Gregorian calendar.
package struct CivilTime: Sendable, Equatable {
    package let year: Int
    /// From 1.
    package let month: Int
    /// From 1.
    package let day: Int
    /// From 0, which is Sunday.
    package let weekday: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// The seconds, since 1970-01-01T00:00:00Z, of the years 0 to 9999, which have four digits.
    package static let seconds = -62_167_219_200...253_402_300_799

    /// - Parameter unixTime: seconds since 1970-01-01T00:00:00Z, clamped to the years 0 to 9999.
    package init(unixTime: Int) {
        let time = min(max(unixTime, Self.seconds.lowerBound), Self.seconds.upperBound)
        let secondOfDay = ((time % 86400) + 86400) % 86400
        let dayNumber = (time - secondOfDay) / 86400
        let date = civil_date_of_day(Int64(dayNumber))
        year = Int(date.year)
        month = Int(date.month)
        day = Int(date.day)
        weekday = ((dayNumber + 4) % 7 + 7) % 7
        hour = secondOfDay / 3600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
    }
}
