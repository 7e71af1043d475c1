/// A time of the monotonic clock, in nanoseconds since an unspecified start. Arithmetic saturates.
package struct MonotonicInstant: InstantProtocol, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static var current: MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    package func advanced(by duration: Duration) -> MonotonicInstant {
        let amount = duration.wholeNanoseconds
        let (sum, overflow) =
            amount < 0
            ? nanoseconds.subtractingReportingOverflow(amount.magnitude)
            : nanoseconds.addingReportingOverflow(amount.magnitude)
        return MonotonicInstant(nanoseconds: overflow ? (amount < 0 ? 0 : .max) : sum)
    }

    package func duration(to other: MonotonicInstant) -> Duration {
        other.nanoseconds >= nanoseconds
            ? .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds))
            : .zero - .nanoseconds(Int64(clamping: nanoseconds - other.nanoseconds))
    }

    package static func < (one: MonotonicInstant, other: MonotonicInstant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }
}
