import Dispatch
import Platform

/// An event loop that waits with dispatch sources on a serial queue of its own, for systems without `epoll`.
///
/// The same contract as `EpollLoop`, at a higher price: two more descriptors, and up to two sources, for each one watched.
/// A failure on a descriptor is told as the readiness that was asked for; with an empty interest it is not told.
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

// What runs on the loop.
extension DispatchSourceLoop {
    /// One turn: every block that runs on the queue is one.
    private func turn(_ work: (LoopCore) -> Void) {
        anchor.enter()
        defer { anchor.leave() }
        let core = core.value
        guard !sources.value.isClosed else { return }
        core.readClock()
        work(core)
        core.runDueTimers()
        core.runPutOff()
        if core.isStopping {
            windUp(core)
        } else if core.putOff.isEmpty {
            sources.value.setTimer(core.nanosecondsToTimer(), now: core.now)
        } else {
            queue.async { self.turn { _ in } }
        }
    }

    private func runJobs(_ core: LoopCore) {
        var jobs: [LoopInbox.Job] = []
        inbox.take(&jobs, asleep: true)
        for job in jobs {
            job()
        }
    }

    private func windUp(_ core: LoopCore) {
        core.wind(up: inbox)
        let stopped = core.stopped
        core.stopped = []
        let sources = sources.value
        sources.cancelAll()
        // The descriptors are closed by then: each holds the group until it is.
        sources.open.notify(queue: queue) {
            for tell in stopped {
                tell()
            }
        }
    }

    private func tell(_ token: UInt64, _ readiness: Readiness) {
        turn { core in
            let descriptor = HandlerTable<any ReadinessHandler>.descriptor(of: token)
            core.handlers.handler(for: token)?.ready(descriptor, readiness)
            tellHangUp(token)
        }
    }

    /// On Linux, a source tells once that both directions have ended, and never speaks again. We promise to tell it
    /// for as long as someone listens, so it is looked up after every call and every change of interest.
    private func tellHangUp(_ token: UInt64) {
        let descriptor = HandlerTable<any ReadinessHandler>.descriptor(of: token)
        guard core.value.handlers.handler(for: token) != nil, let watched = sources.value[descriptor],
            watched.isListening, !watched.isHangUpOnItsWay, watched.isHungUp
        else { return }
        watched.isHangUpOnItsWay = true
        queue.async {
            self.turn { core in
                guard let handler = core.handlers.handler(for: token) else { return }
                self.sources.value[descriptor]?.isHangUpOnItsWay = false
                handler.ready(descriptor, .failed)
                self.tellHangUp(token)
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
        let tell: @Sendable (Readiness) -> Void = { self.tell(token, $0) }
        watched.input.turn(on: interest.contains(.readable), queue: queue, tell)
        watched.output.turn(on: interest.contains(.writable), queue: queue, tell)
        tellHangUp(token)
    }

    package func unwatch(_ descriptor: Int32) {
        guard core.value.handlers.remove(descriptor) else { return }
        sources.value.remove(descriptor)
    }
}

/// The dispatch sources of one loop.
final class SourceTable {
    let timer: any DispatchSourceTimer
    /// Held by every descriptor that is still open.
    let open = DispatchGroup()
    private(set) var isClosed = false
    private var watched: [Int32: WatchedDescriptor] = [:]
    private var alarm: UInt64?

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

    /// Sets the timer to go off this long after `now`; nil for never.
    func setTimer(_ nanoseconds: UInt64?, now: LoopInstant) {
        let due = nanoseconds.map { now.nanoseconds + $0 }
        guard due != alarm else { return }
        alarm = due
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
