import Dispatch
import Platform
package import Threads

/// An event loop that waits with dispatch sources on its own serial queue, for systems without `epoll`.
///
/// It has the contract of `EpollLoop` at a higher cost: two more descriptors and up to two sources for each watched
/// descriptor. A failure is reported as the requested readiness, and not reported with an empty interest.
package final class DispatchSourceLoop: TimedEventLoop {
    package let anchor = LoopThread()
    private let inbox = LoopInbox(asleep: true)
    package let core: LoopBound<LoopCore>
    private let sources: LoopBound<SourceTable>
    private let queue: DispatchQueue

    /// Starts a loop.
    /// - Parameter label: the name of its queue.
    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        core = LoopBound(handing: LoopCore(), to: anchor)
        sources = LoopBound(handing: SourceTable(timer: DispatchSource.makeTimerSource(queue: queue)), to: anchor)
        queue.async {
            self.turn { _ in
                let timer = self.sources.value.timer
                timer.setEventHandler { self.turn { _ in } }
                timer.activate()
            }
        }
    }

    @discardableResult
    package func execute(_ job: @escaping @Sendable () -> Void) -> Bool {
        inbox.append(job) {
            queue.async { self.turn(self.runJobs) }
        }
    }

    package func stop(_ stopped: @escaping @Sendable () -> Void) {
        let accepted = execute {
            let core = self.core.value
            core.stopped.append(stopped)
            core.isStopping = true
        }
        if !accepted { stopped() }
    }
}

// The members that run on the loop.
extension DispatchSourceLoop {
    /// Runs one turn. Every block on the queue is one turn.
    private func turn(_ work: (LoopCore) -> Void) {
        anchor.enter()
        defer { anchor.leave() }
        let core = core.value
        guard !sources.value.isClosed else { return }
        core.readClock()
        work(core)
        core.uncorkChannels()
        core.runDueTimers()
        core.runEndOfTurnJobs()
        if core.isStopping {
            shutDown(core)
        } else if core.endOfTurnJobs.isEmpty {
            sources.value.setTimer(core.nanosecondsToTimer(), now: core.now)
        } else {
            queue.async { self.turn { _ in } }
        }
    }

    private func runJobs(_ core: LoopCore) {
        var jobs: [LoopInbox.Job] = []
        inbox.take(&jobs, asleep: true)
        for job in jobs {
            job.run()
        }
    }

    private func shutDown(_ core: LoopCore) {
        core.shutDown(inbox)
        let stopped = core.stopped
        core.stopped = []
        let sources = sources.value
        sources.cancelAll()
        // Each descriptor is a member of the group until it is closed.
        sources.open.notify(queue: queue) {
            for notify in stopped {
                notify()
            }
        }
    }

    private func notify(_ token: UInt64, _ readiness: Readiness) {
        turn { core in
            if let (handler, descriptor) = core.handlers.entry(for: token) { handler.ready(descriptor, readiness) }
            notifyHangUp(token)
        }
    }

    /// On Linux, a source reports once that both directions have ended, and never fires again. Events must repeat as
    /// long as there is interest, so this checks for a hang-up after every event and every change of interest.
    private func notifyHangUp(_ token: UInt64) {
        guard let (_, descriptor) = core.value.handlers.entry(for: token), let watched = sources.value[descriptor],
            watched.hasInterest, !watched.isHangUpQueued, watched.isHungUp
        else { return }
        watched.isHangUpQueued = true
        queue.async {
            self.turn { core in
                guard let (handler, descriptor) = core.handlers.entry(for: token) else { return }
                self.sources.value[descriptor]?.isHangUpQueued = false
                handler.ready(descriptor, .failed)
                self.notifyHangUp(token)
            }
        }
    }

    package func watch(
        _ descriptor: Int32, _ interest: Interest, _ handler: any ReadinessHandler
    ) throws(SocketError) {
        let core = core.value
        guard !core.isStopping else { throw .loopStopped }
        let open = sources.value.open
        let watched = WatchedDescriptor(
            input: try SourceDescriptor(duplicating: descriptor, group: open),
            output: try SourceDescriptor(duplicating: descriptor, group: open))
        _ = core.handlers.insert(handler, for: descriptor)
        sources.value.insert(watched, for: descriptor)
        update(descriptor, interest)
    }

    package func update(_ descriptor: Int32, _ interest: Interest) {
        guard let token = core.value.handlers.token(for: descriptor),
            let watched = sources.value[descriptor]
        else { return }
        let notify: @Sendable (Readiness) -> Void = { self.notify(token, $0) }
        watched.input.turn(on: interest.contains(.readable), queue: queue, notify)
        watched.output.turn(on: interest.contains(.writable), queue: queue, notify)
        notifyHangUp(token)
    }

    package func unwatch(_ descriptor: Int32) {
        guard core.value.handlers.remove(descriptor) else { return }
        sources.value.remove(descriptor)
    }
}

/// The dispatch sources of one loop.
final class SourceTable {
    let timer: any DispatchSourceTimer
    /// Every open descriptor is a member.
    let open = DispatchGroup()
    private(set) var isClosed = false
    private var watched: [Int32: WatchedDescriptor] = [:]
    private var timerDeadline: UInt64?

    init(timer: any DispatchSourceTimer) {
        self.timer = timer
    }

    subscript(descriptor: Int32) -> WatchedDescriptor? {
        watched[descriptor]
    }

    func insert(_ new: WatchedDescriptor, for descriptor: Int32) {
        watched.updateValue(new, forKey: descriptor)?.cancel()
    }

    func remove(_ descriptor: Int32) {
        watched.removeValue(forKey: descriptor)?.cancel()
    }

    /// Sets the timer to fire this long after `now`; nil disables it.
    func setTimer(_ nanoseconds: UInt64?, now: MonotonicInstant) {
        let due = nanoseconds.map { now.nanoseconds + $0 }
        guard due != timerDeadline else { return }
        timerDeadline = due
        let deadline = nanoseconds.map { DispatchTime.now() + .nanoseconds(Int(clamping: $0)) }
        timer.schedule(deadline: deadline ?? .distantFuture, leeway: .milliseconds(1))
    }

    func cancelAll() {
        isClosed = true
        timer.cancel()
        for descriptor in watched.values {
            descriptor.cancel()
        }
        watched = [:]
    }
}
