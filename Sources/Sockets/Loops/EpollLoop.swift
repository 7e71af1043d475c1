#if os(Linux)
    import CLinux
    import Dispatch

    import Platform

    /// An event loop that waits in `epoll`, as one long job on a serial Dispatch queue of its own.
    ///
    /// Level-triggered: a request costs one `recv` and no `EAGAIN`, one busy connection cannot starve the others (a
    /// handler reads once a turn), and pausing is forgetting an interest. What edge triggering would save, a call to
    /// `epoll_ctl` whenever the interest changes, happens only to connections that are backed up.
    package final class EpollLoop: TimedEventLoop {
        package let anchor = LoopThread()
        private let inbox = LoopInbox(asleep: false)
        package let core: LoopBound<LoopCore>
        private let epoll: Int32
        private let alarm: Int32

        /// The token of `alarm`, which no handler can have: descriptors are not negative.
        private static let alarmToken = UInt64.max

        /// Starts a loop.
        /// - Parameter label: the name of its queue.
        package init(label: String) throws(SocketError) {
            core = LoopBound(handing: LoopCore(), to: anchor)
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard epoll >= 0 else { throw .system(call: "epoll_create1", code: errno) }
            alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard alarm >= 0 else {
                let code = errno
                SystemSocket.shut(epoll)
                throw .system(call: "eventfd", code: code)
            }
            // Edge-triggered, so that every alarm wakes the loop and the counter never has to be read.
            var event = epoll_event()
            event.events = EPOLLIN.rawValue | EPOLLET.rawValue
            event.data.u64 = Self.alarmToken
            guard epoll_ctl(epoll, EPOLL_CTL_ADD, alarm, &event) == 0 else {
                let code = errno
                closeDescriptors()
                throw .system(call: "epoll_ctl", code: code)
            }
            DispatchQueue(label: label, qos: .userInitiated).async { self.run() }
        }

        private func closeDescriptors() {
            SystemSocket.shut(epoll)
            SystemSocket.shut(alarm)
        }

        @discardableResult
        package func execute(_ job: @escaping @Sendable () -> Void) -> Bool {
            inbox.append(job) {
                _ = eventfd_write(alarm, 1)
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
            core.wind(up: inbox)
            closeDescriptors()
            let stopped = core.stopped
            core.stopped = []
            anchor.leave()
            for tell in stopped {
                tell()
            }
        }

        private func turn(
            _ core: LoopCore, _ events: UnsafeMutableBufferPointer<epoll_event>, _ jobs: inout [LoopInbox.Job]
        ) {
            let maySleep = core.putOff.isEmpty && inbox.fallAsleep()
            let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), maySleep ? longestWait(core) : 0)
            inbox.take(&jobs, asleep: false)
            core.readClock()
            for event in events.prefix(max(Int(count), 0)) {
                tell(core, event)
            }
            core.runDueTimers()
            for job in jobs {
                job()
            }
            jobs.removeAll(keepingCapacity: jobs.capacity <= 1024)
            core.runPutOff()
        }

        /// How long to sleep, in milliseconds: until the next timer, rounded up; -1 without one.
        private func longestWait(_ core: LoopCore) -> Int32 {
            guard let nanoseconds = core.nanosecondsToTimer() else { return -1 }
            return Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
        }

        private func tell(_ core: LoopCore, _ event: epoll_event) {
            let token = event.data.u64
            guard let handler = core.handlers.handler(for: token) else { return }
            var readiness: Readiness = []
            if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
            if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.failed) }
            handler.ready(HandlerTable<any ReadinessHandler>.descriptor(of: token), readiness)
        }

        package func watch(
            _ descriptor: Int32, _ interest: Interest, _ handler: any ReadinessHandler
        ) throws(SocketError) {
            let core = core.value
            guard !core.isStopping else { throw .loopStopped }
            guard descriptor >= 0 else { throw .system(call: "epoll_ctl", code: EBADF) }
            let token = core.handlers.insert(handler, for: descriptor)
            // The number may still be registered: its owner may have passed it on without a word.
            guard control(EPOLL_CTL_ADD, descriptor, interest, token, orIf: EEXIST, EPOLL_CTL_MOD) else {
                let code = errno
                core.handlers.remove(descriptor)
                throw .system(call: "epoll_ctl", code: code)
            }
        }

        package func update(_ descriptor: Int32, _ interest: Interest) {
            guard let token = core.value.handlers.token(for: descriptor) else { return }
            // The number may have been closed and opened again by an owner who thinks of it as the same.
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
