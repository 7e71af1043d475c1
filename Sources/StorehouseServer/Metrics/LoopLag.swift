import Dispatch
import Locks
import Observability
package import Platform
import Sessions
import Sockets
import Threads

/// Measures how long jobs wait for the event loops, which is how long requests wait while something else runs there.
final class LoopLag: Sendable {
    private let loops: [any EventLoop]
    // Nothing is called while it is held.
    private let windows: Locked<[LagWindow]>
    /// Not a loop: one that is stuck would measure nothing.
    private let queue = DispatchQueue(label: "loop.lag")

    init(_ loops: [any EventLoop]) {
        self.loops = loops
        windows = Locked(loops.map { _ in LagWindow() })
    }

    /// Sends a job to each loop now and once a second, as long as this object lives.
    func start() {
        probe()
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.start() }
    }

    private func probe() {
        for (index, loop) in loops.enumerated() {
            guard windows.withLock({ $0[index].send(at: .current) }) else { continue }
            loop.execute { [weak self] in self?.windows.withLock { $0[index].arrived(at: .current) } }
        }
    }

    func write(into text: inout PrometheusWriter) {
        let windows = windows.withLock { $0 }
        for (index, window) in windows.enumerated() {
            text.gauge(
                "storehouse_event_loop_lag_seconds",
                "The longest time in the last 15 seconds that a job has waited for its event loop.",
                Double(window.longest(now: .current)) / 1e9, labels: [("loop", String(index))])
        }
    }
}

/// The newest measurements of one loop.
package struct LagWindow: Sendable {
    private static let maxCount = 15

    /// In nanoseconds, the oldest first.
    private var lags: [Int] = []
    private var sentAt: MonotonicInstant?

    package init() {}

    /// Notes that a job is sent.
    ///
    /// - Returns: false if an earlier one has not arrived; then none is to be sent.
    package mutating func send(at moment: MonotonicInstant) -> Bool {
        guard sentAt == nil else { return false }
        sentAt = moment
        return true
    }

    /// Notes that the job has arrived.
    package mutating func arrived(at moment: MonotonicInstant) {
        guard let sentAt else { return }
        lags.append(sentAt.nanoseconds(to: moment))
        if lags.count > Self.maxCount { lags.removeFirst() }
        self.sentAt = nil
    }

    /// The longest wait in nanoseconds, also of a job that still waits.
    package func longest(now: MonotonicInstant) -> Int { max(lags.max() ?? 0, sentAt?.nanoseconds(to: now) ?? 0) }
}
