import Platform

/// A time of the monotonic clock, in nanoseconds since an unspecified start. Arithmetic saturates.
package struct LoopInstant: InstantProtocol, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static var current: LoopInstant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return LoopInstant(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    package func advanced(by duration: Duration) -> LoopInstant {
        let amount = duration.wholeNanoseconds
        let (sum, overflow) =
            amount < 0
            ? nanoseconds.subtractingReportingOverflow(amount.magnitude)
            : nanoseconds.addingReportingOverflow(amount.magnitude)
        return LoopInstant(nanoseconds: overflow ? (amount < 0 ? 0 : .max) : sum)
    }

    package func duration(to other: LoopInstant) -> Duration {
        other.nanoseconds >= nanoseconds
            ? .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds))
            : .zero - .nanoseconds(Int64(clamping: nanoseconds - other.nanoseconds))
    }

    package static func < (one: LoopInstant, other: LoopInstant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }
}
