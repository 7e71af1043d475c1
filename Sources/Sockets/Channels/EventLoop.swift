package import Platform
package import Threads

/// A serial loop that waits for descriptors, timers and jobs from other threads.
///
/// Handlers, timers and jobs run one at a time. A turn waits, calls the handlers of ready descriptors, sends what their
/// channels have collected, runs due timers (at most 64), runs the jobs that were queued when the wait ended in their
/// order, and runs the jobs of ``atEndOfTurn(_:)``. A loop runs until it is stopped, even if it is no longer referenced.
///
/// As the executor of a task, it runs each part of the task as a job.
///
/// `execute`, `enqueue`, `stop` and `isCurrent` may be called from any thread. All other members trap if called off the loop.
package protocol EventLoop: SerialLoop, TaskExecutor {
    /// Ends the loop after the current turn. May be called from any thread.
    ///
    /// The loop notifies every handler (channels and listeners close), runs the accepted jobs and discards timers. Then
    /// it closes its descriptors and calls `stopped`; if the loop has already ended, `stopped` is called at once.
    func stop(_ stopped: @escaping @Sendable () -> Void)

    /// Registers `handler` for the events of `descriptor`. The caller still owns the descriptor.
    ///
    /// The handler replaces an earlier one. It gets no events from before this call, even if the descriptor's number
    /// was closed and reused in the meantime.
    func watch(_ descriptor: Int32, _ interest: Interest, _ handler: any ReadinessHandler) throws(SocketError)

    /// Changes the interest in a watched descriptor. An empty interest reports failures only.
    func update(_ descriptor: Int32, _ interest: Interest)

    /// Removes the handler of a descriptor. It gets no more events, not even those of the current turn. Ignores
    /// descriptors that are not watched.
    func unwatch(_ descriptor: Int32)

    /// Runs a job once: never before `delay`, and at most about 20 ms late on an idle loop. O(1).
    func schedule(after delay: Duration, _ job: @escaping () -> Void) -> LoopTimer

    /// Moves a waiting timer to `delay` from now without an allocation. O(1).
    /// - Returns: false if it has fired or was cancelled.
    @discardableResult
    func reschedule(_ timer: LoopTimer, after delay: Duration) -> Bool

    /// Cancels a timer. Ignores timers that have fired. O(1).
    func cancel(_ timer: LoopTimer)

    /// Runs a job at the end of this turn. A job that such a job adds runs at the end of the next turn.
    func atEndOfTurn(_ job: @escaping () -> Void)

    /// Uncorks a channel soon, and before the timers of this turn.
    ///
    /// A peer that waits is woken up by the first of several responses, and finds the others when it has read that one. Sent one
    /// by one, each would wake it up, which costs about as much as sending.
    func uncorkLater(_ channel: Channel)

    /// Uncorks a channel at the end of this turn at the latest, for ``Channel/writeSoon(_:)``. Does not uncork it at
    /// once.
    func uncorkAfterWrite(_ channel: Channel)

    /// The start of this turn: the monotonic clock is read once per turn.
    var now: MonotonicInstant { get }

    /// The buffer that all reads on this loop share. Its content is valid until the caller returns.
    var readBuffer: UnsafeMutableRawBufferPointer { get }
}

extension EventLoop {
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        let isAccepted = execute { job.runSynchronously(on: executor) }
        // A task that is left never ends, and keeps its objects alive.
        if !isAccepted { job.runSynchronously(on: executor) }
    }

    /// Ends the loop and waits until all its descriptors are closed.
    package func stop() async {
        await withCheckedContinuation { continuation in
            stop { continuation.resume() }
        }
    }
}

/// Waits for its own sockets on the event loops of a server, so that requests need no other thread.
package protocol EventLoopUser: Sendable {
    /// May be called from any thread. Only the first call has an effect.
    func use(_ loops: [any EventLoop])
}

/// The events that a handler wants.
package struct Interest: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Bytes, a connection or an end of file can be read.
    package static let readable = Interest(rawValue: 1)
    /// Bytes can be written.
    package static let writable = Interest(rawValue: 2)
}

/// The state that a loop found a descriptor in.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// An error is pending, or both directions have ended. `epoll` reports this with any interest; a dispatch source
    /// reports it as the requested readiness.
    package static let failed = Readiness(rawValue: 4)
}

/// Handles the events of a descriptor. The loop retains it while the descriptor is watched.
package protocol ReadinessHandler: AnyObject {
    /// The descriptor is ready. Events are level-triggered: they repeat until the handler has dealt with them.
    func ready(_ descriptor: Int32, _ readiness: Readiness)

    /// The loop ends and no longer watches the descriptor. The owner must close it.
    func loopStopped(_ descriptor: Int32)
}

/// Identifies a scheduled job. It stays valid, and has no effect, after the timer has fired.
package struct LoopTimer: Hashable, Sendable {
    let index: Int32
    let generation: UInt32
}
