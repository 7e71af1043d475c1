#if os(Linux)
    import CPlatform
    import Dispatch

    import Platform
    package import Threads

    /// An event loop that waits in `epoll`, as one long job on its own serial Dispatch queue.
    ///
    /// It is level-triggered: a request costs one `recv` and no `EAGAIN`, a busy connection cannot starve the others
    /// because a handler reads once per turn, and pausing only removes an interest. Edge triggering would save the
    /// calls to `epoll_ctl` when the interest changes, which only connections with pending output need.
    package final class EpollLoop: TimedEventLoop {
        package let anchor = LoopThread()
        private let inbox = LoopInbox(asleep: false)
        package let core: LoopBound<LoopCore>
        private let epoll: Int32
        private let wakeup: Int32

        /// The token of `wakeup`. No handler has it, because there are never so many slots.
        private static let wakeupToken = UInt64.max

        /// Starts a loop.
        /// - Parameter label: the name of its queue.
        package init(label: String) throws(SocketError) {
            core = LoopBound(handing: LoopCore(), to: anchor)
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard epoll >= 0 else { throw .system(call: "epoll_create1", code: errno) }
            wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard wakeup >= 0 else {
                let code = errno
                SystemSocket.close(epoll)
                throw .system(call: "eventfd", code: code)
            }
            // Edge-triggered, so that every write wakes the loop and the counter never has to be read.
            var event = epoll_event()
            event.events = EPOLLIN.rawValue | EPOLLET.rawValue
            event.data.u64 = Self.wakeupToken
            guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
                let code = errno
                closeDescriptors()
                throw .system(call: "epoll_ctl", code: code)
            }
            DispatchQueue(label: label, qos: .userInitiated).async { self.run() }
        }

        private func closeDescriptors() {
            SystemSocket.close(epoll)
            SystemSocket.close(wakeup)
        }

        @discardableResult
        package func execute(_ job: @escaping @Sendable () -> Void) -> Bool {
            inbox.append(job) {
                _ = eventfd_write(wakeup, 1)
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
    extension EpollLoop {
        private func run() {
            anchor.enter()
            let core = core.value
            var jobs: [LoopInbox.Job] = []
            withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
                while !core.isStopping {
                    turn(core, events, &jobs)
                }
            }
            core.shutDown(inbox)
            closeDescriptors()
            let stopped = core.stopped
            core.stopped = []
            anchor.leave()
            for notify in stopped {
                notify()
            }
        }

        private func turn(
            _ core: LoopCore, _ events: UnsafeMutableBufferPointer<epoll_event>, _ jobs: inout [LoopInbox.Job]
        ) {
            let maySleep = core.endOfTurnJobs.isEmpty && inbox.fallAsleep()
            let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), maySleep ? waitTimeout(core) : 0)
            inbox.take(&jobs, asleep: false)
            core.readClock()
            for event in events.prefix(max(Int(count), 0)) {
                notify(core, event)
            }
            core.uncorkChannels()
            core.runDueTimers()
            for job in jobs {
                job.run()
            }
            if !jobs.isEmpty { jobs.removeAll(keepingCapacity: jobs.capacity <= 1024) }
            core.runEndOfTurnJobs()
        }

        /// Milliseconds until the next timer, rounded up; -1 without a timer.
        private func waitTimeout(_ core: LoopCore) -> Int32 {
            guard let nanoseconds = core.nanosecondsToTimer() else { return -1 }
            return Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
        }

        private func notify(_ core: LoopCore, _ event: epoll_event) {
            let token = event.data.u64
            guard let (handler, descriptor) = core.handlers.entry(for: token) else { return }
            var readiness: Readiness = []
            if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
            if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.failed) }
            handler.ready(descriptor, readiness)
        }

        package func watch(
            _ descriptor: Int32, _ interest: Interest, _ handler: any ReadinessHandler
        ) throws(SocketError) {
            let core = core.value
            guard !core.isStopping else { throw .loopStopped }
            guard descriptor >= 0 else { throw .system(call: "epoll_ctl", code: EBADF) }
            let token = core.handlers.insert(handler, for: descriptor)
            // The descriptor may still be registered if its owner passed it on without calling `unwatch`.
            guard control(EPOLL_CTL_ADD, descriptor, interest, token, orIf: EEXIST, EPOLL_CTL_MOD) else {
                let code = errno
                core.handlers.remove(descriptor)
                throw .system(call: "epoll_ctl", code: code)
            }
        }

        package func update(_ descriptor: Int32, _ interest: Interest) {
            guard let token = core.value.handlers.token(for: descriptor) else { return }
            // The owner may have closed the descriptor and reopened it under the same number.
            _ = control(EPOLL_CTL_MOD, descriptor, interest, token, orIf: ENOENT, EPOLL_CTL_ADD)
        }

        package func unwatch(_ descriptor: Int32) {
            guard core.value.handlers.remove(descriptor) else { return }
            var event = epoll_event()
            _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
        }

        private func control(
            _ operation: Int32, _ descriptor: Int32, _ interest: Interest, _ token: UInt64,
            orIf refusal: Int32, _ alternative: Int32
        ) -> Bool {
            var event = epoll_event()
            if interest.contains(.readable) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.writable) { event.events |= EPOLLOUT.rawValue }
            event.data.u64 = token
            if epoll_ctl(epoll, operation, descriptor, &event) == 0 { return true }
            return errno == refusal && epoll_ctl(epoll, alternative, descriptor, &event) == 0
        }
    }
#endif
