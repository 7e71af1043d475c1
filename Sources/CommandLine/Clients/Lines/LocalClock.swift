import Platform

/// The time of day where the user is.
package struct LocalClock: Sendable {
    /// The present, in milliseconds since 1970.
    package var now: @Sendable () -> Int
    /// How many seconds local time is before UTC at a moment, which is in seconds since 1970.
    package var offset: @Sendable (Int) -> Int

    package init(now: @escaping @Sendable () -> Int, offset: @escaping @Sendable (Int) -> Int = { _ in 0 }) {
        (self.now, self.offset) = (now, offset)
    }

    /// The clock of the machine, in the time zone of the process.
    package static let system = LocalClock(now: systemTime) { seconds in
        var (time, local) = (time_t(seconds), tm())
        return localtime_r(&time, &local) == nil ? 0 : Int(local.tm_gmtoff)
    }

    /// `21:08:10`, and the date too unless it is today's.
    ///
    /// - Parameter time: milliseconds since 1970.
    package func text(of time: Int) -> String {
        let (date, today) = (civil(time), civil(now()))
        let clock = [date.hour, date.minute, date.second].map { Self.padded($0) }.joined(separator: ":")
        let isToday = (date.year, date.month, date.day) == (today.year, today.month, today.day)
        return isToday
            ? clock : "\(Self.padded(date.year, 4))-\(Self.padded(date.month))-\(Self.padded(date.day)) \(clock)"
    }

    private func civil(_ time: Int) -> CivilTime {
        // Rounded down.
        let seconds = time / 1000 - (time % 1000 < 0 ? 1 : 0)
        return CivilTime(unixTime: seconds + offset(seconds))
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
