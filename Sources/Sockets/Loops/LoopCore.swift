/// What every loop has, whatever it waits with: the handlers, the timers, the clock and what was put off.
package final class LoopCore {
    /// Length of a timer tick in nanoseconds: 10 ms.
    private static let tick: UInt64 = 10_000_000
    /// How many timers fire in one turn at most.
    private static let mostTimers = 64

    var handlers = HandlerTable<any ReadinessHandler>()
    var timers = TimerWheel<() -> Void>()
    var putOff: [() -> Void] = []
    var isStopping = false
    var stopped: [@Sendable () -> Void] = []
    private(set) var now = LoopInstant.current
    private let start: UInt64
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init() {
        start = now.nanoseconds
    }

    deinit {
        readBuffer.deallocate()
    }

    func readClock() {
        now = .current
    }

    func schedule(after delay: Duration, _ job: @escaping () -> Void) -> LoopTimer {
        timers.schedule(at: tick(after: delay), job)
    }

    func reschedule(_ timer: LoopTimer, after delay: Duration) -> Bool {
        timers.move(timer, to: tick(after: delay))
    }

    /// When the next timer is due, in nanoseconds from a fresh reading of the clock; nil if none waits.
    func nanosecondsToTimer() -> UInt64? {
        guard let tick = timers.soonest() else { return nil }
        let due = start + tick * Self.tick
        let present = LoopInstant.current.nanoseconds
        return due > present ? due - present : 0
    }

    /// Runs timers that are due. Thousands of connections may run out of time at once: what is beyond one turn's share
    /// stays due, and those who have something to say are heard in between.
    func runDueTimers() {
        let due = (now.nanoseconds - start) / Self.tick
        for _ in 0..<Self.mostTimers {
            guard let job = timers.popDue(at: due) else { return }
            job()
        }
    }

    /// Runs what was put off before now.
    func runPutOff() {
        guard !putOff.isEmpty else { return }
        var jobs: [() -> Void] = []
        swap(&jobs, &putOff)
        for job in jobs {
            job()
        }
    }

    /// Tells every handler that the loop ends, and runs what is still to run until nothing is left.
    func wind(up inbox: LoopInbox) {
        for (descriptor, handler) in handlers.removeAll() {
            handler.loopStopped(descriptor)
        }
        var jobs: [LoopInbox.Job] = []
        repeat {
            for job in jobs {
                job()
            }
            while !putOff.isEmpty {
                runPutOff()
            }
            jobs = inbox.takeOrClose()
        } while !jobs.isEmpty
        timers = TimerWheel()
    }

    /// The first tick that lies no earlier than `delay` from now.
    private func tick(after delay: Duration) -> UInt64 {
        let due = now.advanced(by: max(delay, .zero)).nanoseconds - start
        return due / Self.tick + (due % Self.tick == 0 ? 0 : 1)
    }
}
