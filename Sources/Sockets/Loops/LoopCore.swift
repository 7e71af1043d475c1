import Locks
package import Platform
package import Threads

/// The state that all event loops share: handlers, timers, the clock and the jobs for the end of the turn.
package final class LoopCore {
    /// Length of a timer tick in nanoseconds: 10 ms.
    private static let tick: UInt64 = 10_000_000
    private static let maxTimersPerTurn = 64
    /// Enough to save most wakeups of clients, and so few that no response waits long.
    private static let maxCorkedChannels = 16

    // Accesses to the unchecked properties cannot overlap, because nothing else is called during one. Every turn would
    // check each of them.
    @exclusivity(unchecked) var handlers = HandlerTable<any ReadinessHandler>()
    @exclusivity(unchecked) var timers = TimerWheel<LoopJob>()
    @exclusivity(unchecked) var endOfTurnJobs: [LoopJob] = []
    @exclusivity(unchecked) private var corkedChannels: [Channel] = []
    var isStopping = false
    var stopped: [@Sendable () -> Void] = []
    private(set) var now = MonotonicInstant.current
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
        timers.schedule(at: tick(after: delay), LoopJob(run: job))
    }

    func reschedule(_ timer: LoopTimer, after delay: Duration) -> Bool {
        timers.move(timer, to: tick(after: delay))
    }

    /// Nanoseconds from now, by a fresh clock reading, until the next timer is due; nil if there is none.
    func nanosecondsToTimer() -> UInt64? {
        guard let tick = timers.nextTick() else { return nil }
        let due = start + tick * Self.tick
        let present = MonotonicInstant.current.nanoseconds
        return due > present ? due - present : 0
    }

    /// Runs due timers, up to a limit. Thousands of connections may time out at once: the other timers run in later
    /// turns, so that active connections are served in between.
    func runDueTimers() {
        let due = (now.nanoseconds - start) / Self.tick
        for _ in 0..<Self.maxTimersPerTurn {
            guard let job = timers.popDue(at: due) else { return }
            job.run()
        }
    }

    func uncorkLater(_ channel: Channel) {
        corkedChannels.append(channel)
        if corkedChannels.count >= Self.maxCorkedChannels { uncorkChannels() }
    }

    /// Uncorks later a channel that is being written to. Only other channels may be uncorked at once.
    func uncorkAfterWrite(_ channel: Channel) {
        if corkedChannels.count >= Self.maxCorkedChannels { uncorkChannels() }
        corkedChannels.append(channel)
    }

    func uncorkChannels() {
        guard !corkedChannels.isEmpty else { return }
        // A delegate may cork further channels meanwhile.
        var channels: [Channel] = []
        swap(&channels, &corkedChannels)
        for channel in channels { channel.uncork() }
        // One by one: mostly there are few, and `removeAll(keepingCapacity:)` takes three times as long for one.
        while channels.popLast() != nil {}
        if corkedChannels.isEmpty { swap(&channels, &corkedChannels) } else { uncorkChannels() }
    }

    /// Runs the jobs that were added before this call, and sends what was written in this turn.
    func runEndOfTurnJobs() {
        if !endOfTurnJobs.isEmpty {
            var jobs: [LoopJob] = []
            swap(&jobs, &endOfTurnJobs)
            for job in jobs {
                job.run()
            }
        }
        uncorkChannels()
    }

    /// Notifies every handler that the loop ends, and runs all accepted jobs.
    func shutDown(_ inbox: LoopInbox) {
        for (descriptor, handler) in handlers.removeAll() {
            handler.loopStopped(descriptor)
        }
        var jobs: [LoopInbox.Job] = []
        repeat {
            for job in jobs {
                job.run()
            }
            while !endOfTurnJobs.isEmpty {
                runEndOfTurnJobs()
            }
            jobs = inbox.takeOrClose()
        } while !jobs.isEmpty
        timers = TimerWheel()
    }

    /// The first tick that is at least `delay` from now.
    private func tick(after delay: Duration) -> UInt64 {
        let due = now.advanced(by: max(delay, .zero)).nanoseconds - start
        return due / Self.tick + (due % Self.tick == 0 ? 0 : 1)
    }
}

/// An event loop that uses `LoopCore` for its timers, clock and buffer.
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

    package func atEndOfTurn(_ job: @escaping () -> Void) {
        core.value.endOfTurnJobs.append(LoopJob(run: job))
    }

    package func uncorkLater(_ channel: Channel) { core.value.uncorkLater(channel) }

    package func uncorkAfterWrite(_ channel: Channel) { core.value.uncorkAfterWrite(channel) }

    package var now: MonotonicInstant { core.value.now }

    package var readBuffer: UnsafeMutableRawBufferPointer { core.value.readBuffer }
}

/// A closure to run on a loop, in a struct: in a generic container, a bare closure costs one more allocation.
struct LoopJob {
    let run: () -> Void
}

/// Jobs from other threads, and whether the loop must be woken up for them.
package struct LoopInbox: Sendable {
    /// A closure in a struct, for the same reason as ``LoopJob``.
    package struct Job: Sendable {
        package let run: @Sendable () -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var isAsleep: Bool
        var isClosed = false
    }

    /// No other lock is taken while this one is held.
    private let state: Locked<State>

    package init(asleep: Bool) {
        state = Locked(State(isAsleep: asleep))
    }

    /// Adds a job, and calls `wake` if the loop is asleep and was not woken up yet.
    ///
    /// `wake` runs under the lock, so that the loop cannot end and close its wakeup descriptor in the meantime.
    /// - Returns: false if the inbox is closed.
    package func append(_ job: @escaping @Sendable () -> Void, wake: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(Job(run: job))
            if state.isAsleep {
                state.isAsleep = false
                wake()
            }
            return true
        }
    }

    /// Marks the loop as asleep; false if there are jobs, and the loop must not sleep.
    package func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.jobs.isEmpty
            return state.isAsleep
        }
    }

    /// Swaps the waiting jobs with an empty array, and records whether the loop is asleep now.
    package func take(_ jobs: inout [Job], asleep: Bool) {
        state.withLock { state in
            state.isAsleep = asleep
            swap(&state.jobs, &jobs)
        }
    }

    /// Returns the waiting jobs. If there are none, closes the inbox: no more jobs are accepted.
    package func takeOrClose() -> [Job] {
        state.withLock { state in
            state.isClosed = state.jobs.isEmpty
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}
