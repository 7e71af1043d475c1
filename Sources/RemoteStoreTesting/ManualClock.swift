package import StorehouseClient

/// The time of a store, which only a test moves.
///
/// It counts the pauses before another attempt, the 5 seconds after which a lost connection is called offline, and the heartbeats
/// of a stream. Each run of a test is the same, and none waits.
@MainActor
public final class ManualClock {
    private let start: Double
    private var timers: [Int: (due: Double, run: @MainActor @Sendable () -> Void)] = [:]
    private var count = 0
    package private(set) var now = 0.0

    /// A clock that stands.
    ///
    /// - Parameter time: the time of day, in milliseconds since 1970.
    public init(time: Int = 0) {
        start = Double(time)
    }

    /// How many timers are set.
    public var timerCount: Int { timers.count }

    /// Moves the time, and runs the timers that are due, in order.
    ///
    /// Requests and streams that they begin have not been answered yet when it returns.
    public func advance(by time: Duration) {
        let end = now + time / .milliseconds(1)
        while let next = timers.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }), next.value.due <= end {
            timers[next.key] = nil
            now = max(now, next.value.due)
            next.value.run()
        }
        now = end
    }
}

extension ManualClock: ClientClock {
    package var wallTime: Double { start + now }

    package func schedule(after delay: Double, _ run: @escaping @MainActor @Sendable () -> Void) -> any ClientTimer {
        count += 1
        timers[count] = (now + delay, run)
        return ManualTimer { [weak self, count] in self?.timers[count] = nil }
    }
}

private final class ManualTimer: ClientTimer {
    private let stop: @MainActor @Sendable () -> Void

    init(_ stop: @escaping @MainActor @Sendable () -> Void) {
        self.stop = stop
    }

    func cancel() { stop() }
}
