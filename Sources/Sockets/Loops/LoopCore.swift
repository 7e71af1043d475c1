import Locks
import Platform
import Synchronization

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

/// A loop whose timers, clock and buffer are those of a `LoopCore`.
package protocol TimedEventLoop: EventLoop {
    var core: LoopBound<LoopCore> { get }
}

extension TimedEventLoop {
    package func schedule(after delay: Duration, _ job: @escaping () -> Void) -> LoopTimer {
        core.value.schedule(after: delay, job)
    }

    @discardableResult
    package func reschedule(_ timer: LoopTimer, after delay: Duration) -> Bool {
        core.value.reschedule(timer, after: delay)
    }

    package func cancel(_ timer: LoopTimer) {
        core.value.timers.cancel(timer)
    }

    package func afterwards(_ job: @escaping () -> Void) {
        core.value.putOff.append(job)
    }

    package var now: LoopInstant { core.value.now }

    package var readBuffer: UnsafeMutableRawBufferPointer { core.value.readBuffer }
}

/// Jobs from other threads, and whether the loop has to be woken for them.
package struct LoopInbox: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var isAsleep: Bool
        var isClosed = false
    }

    /// Guards the jobs and the loop's word that it sleeps. A leaf: no other lock is taken under it.
    private let state: Locked<State>

    package init(asleep: Bool) {
        state = Locked(State(isAsleep: asleep))
    }

    /// Adds a job, and calls `wake` if the loop sleeps and nobody has woken it yet.
    ///
    /// The waking happens under the lock, so that the loop cannot end, and close what it is woken through, meanwhile.
    /// - Returns: false if the inbox is closed.
    package func append(_ job: @escaping Job, wake: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            if state.isAsleep {
                state.isAsleep = false
                wake()
            }
            return true
        }
    }

    /// The loop wants to sleep. False if there are jobs.
    package func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.jobs.isEmpty
            return state.isAsleep
        }
    }

    /// Swaps the waiting jobs with an empty array, and notes whether the loop counts as asleep from here on.
    package func take(_ jobs: inout [Job], asleep: Bool) {
        state.withLock { state in
            state.isAsleep = asleep
            swap(&state.jobs, &jobs)
        }
    }

    /// Takes the waiting jobs; if there are none, no more are accepted.
    package func takeOrClose() -> [Job] {
        state.withLock { state in
            state.isClosed = state.jobs.isEmpty
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}

/// Knows which thread a loop runs on at this moment, if any.
package final class LoopThread: Sendable {
    private let thread = Atomic<UInt>(0)

    package init() {}

    /// Whether the caller runs on the loop.
    package var isCurrent: Bool {
        thread.load(ordering: .relaxed) == Self.currentThread
    }

    /// The loop runs on this thread from here on. Ordered after the `leave` before it.
    func enter() {
        _ = thread.exchange(Self.currentThread, ordering: .acquiring)
    }

    func leave() {
        thread.store(0, ordering: .releasing)
    }

    private static var currentThread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}
