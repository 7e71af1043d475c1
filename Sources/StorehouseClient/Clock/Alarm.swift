/// Runs something at a time that may be moved, with at most one timer.
@MainActor
final class Alarm {
    private let clock: any ClientClock
    private let run: @MainActor @Sendable () -> Void
    private var timer: (any ClientTimer)?
    /// The time at which the timer fires; never later than ``due``.
    private var firesAt = Double.infinity
    private(set) var due = Double.infinity

    init(_ clock: any ClientClock, _ run: @escaping @MainActor @Sendable () -> Void) {
        self.clock = clock
        self.run = run
    }

    /// - Parameter time: of the clock; infinity for never.
    func set(_ time: Double) {
        due = time
        if time == .infinity { return stop() }
        // A timer that fires too early is set anew then, which costs less than to move it each time.
        if firesAt > time { wait() }
    }

    /// Runs nothing for now. The timer stays, because the next use costs less then than to make one.
    func rest() { due = .infinity }

    private func wait() {
        timer?.cancel()
        firesAt = due
        timer = clock.schedule(after: max(0, due - clock.now)) { [weak self] in self?.fire() }
    }

    private func fire() {
        timer = nil
        firesAt = .infinity
        guard due < .infinity else { return }
        guard due <= clock.now else { return wait() }
        due = .infinity
        run()
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        firesAt = .infinity
    }
}
