/// The system's wall clock in milliseconds since 1970-01-01T00:00:00Z, rounded down. It may step back.
@Sendable package func systemTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
}

/// The time in nanoseconds since an unspecified start, which runs while the machine sleeps, as that of `ContinuousClock`.
package func continuousTime() -> Int {
    #if canImport(Darwin)
        let clock = CLOCK_MONOTONIC_RAW
    #else
        let clock = CLOCK_BOOTTIME
    #endif
    var time = timespec()
    clock_gettime(clock, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
}

/// The time in milliseconds since an unspecified start, which stands still while the machine sleeps. Nobody can set it.
@Sendable package func steadyTime() -> Int {
    #if canImport(Darwin)
        let clock = CLOCK_UPTIME_RAW
    #else
        let clock = CLOCK_MONOTONIC
    #endif
    var time = timespec()
    clock_gettime(clock, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
}

// The conversions of durations to numbers.
extension Duration {
    /// The duration in seconds, exact to the microsecond.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1e6 + Double(attoseconds / 1_000_000_000_000)) / 1e6
    }

    /// The duration in milliseconds, rounded up, so that nothing that waits for it comes too early. Clamped to `Int`.
    package var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isBeyond) = whole.addingReportingOverflow(
            Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
        return isBeyond ? .max : sum
    }

    /// The duration in nanoseconds, rounded up and clamped to `Int64`.
    package var wholeNanoseconds: Int64 {
        // Nearly each request asks. The components take three times as long.
        if #available(macOS 15, iOS 18, visionOS 2, *) {
            let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return Int64(clamping: rest > 0 ? whole + 1 : whole)
        }
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (rest, part) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let (sum, isBeyond) = whole.addingReportingOverflow(part > 0 ? rest + 1 : rest)
        return isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
