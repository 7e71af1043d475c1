import StorehouseClient

/// Time that a test moves.
final class ManualClock: ClientClock {
    private(set) var now = 0.0
    var wallTime: Double { 1_000_000 + now }
    private var timers: [Int: (due: Double, run: @MainActor @Sendable () -> Void)] = [:]
    private var count = 0

    /// How many timers there are.
    var timerCount: Int { timers.count }

    func schedule(after delay: Double, _ run: @escaping @MainActor @Sendable () -> Void) -> any ClientTimer {
        count += 1
        timers[count] = (now + delay, run)
        return Timer(count, self)
    }

    /// Runs the timers until then, in order.
    func advance(by time: Double) {
        let end = now + time
        while let next = timers.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }), next.value.due <= end {
            timers[next.key] = nil
            now = max(now, next.value.due)
            next.value.run()
        }
        now = end
    }

    private final class Timer: ClientTimer {
        private let id: Int
        private let clock: ManualClock

        init(_ id: Int, _ clock: ManualClock) {
            self.id = id
            self.clock = clock
        }

        func cancel() { clock.timers[id] = nil }
    }
}

/// Waits until something is true, while all other tasks of the main actor run.
@MainActor
func until(_ isTrue: () -> Bool) async {
    while !isTrue() { await Task.yield() }
}
