import JSON
import StorehouseClient

/// Time that the kit moves. It tells when the next timer is due.
final class VirtualClock: ClientClock {
    private(set) var now = 0.0
    var wallTime: Double { now }
    private var timers: [Int: (due: Double, run: @MainActor @Sendable () -> Void)] = [:]
    private var count = 0
    private var told = ""
    /// Whether the kit has begun with another clock.
    private var isOver = false

    func end() { isOver = true }

    func schedule(after delay: Double, _ run: @escaping @MainActor @Sendable () -> Void) -> any ClientTimer {
        count += 1
        timers[count] = (now + max(0, delay), run)
        if Fault.leaksTimers.isPlanted { timers[-count] = (1e12, run) }
        tell()
        return Timer(count, self)
    }

    func advance(to time: Double) async {
        while let next = timers.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }), next.value.due <= time {
            timers[next.key] = nil
            now = max(now, next.value.due)
            next.value.run()
            await settle()
        }
        now = max(now, time)
        tell()
    }

    /// The process was frozen meanwhile: no timer ran on time.
    func sleep(to time: Double) async {
        now = time
        await advance(to: time)
    }

    fileprivate func cancel(_ id: Int) {
        if timers.removeValue(forKey: id) != nil { tell() }
    }

    private func tell() {
        let due = timers.values.map(\.due).min()
        let line: JSONValue = [
            "timer": due.flatMap { JSONNumber($0) }.map(JSONValue.number) ?? .null, "count": .integer(timers.count),
        ]
        if line.description != told, !isOver { write(line) }
        told = line.description
    }

    private final class Timer: ClientTimer {
        private let id: Int
        private weak var clock: VirtualClock?

        init(_ id: Int, _ clock: VirtualClock) {
            self.id = id
            self.clock = clock
        }

        func cancel() { clock?.cancel(id) }
    }
}

/// Lets all tasks run that can.
@MainActor
func settle() async {
    for _ in 0..<10 { await Task.yield() }
}
