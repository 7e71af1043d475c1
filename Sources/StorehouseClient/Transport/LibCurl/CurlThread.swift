#if os(Linux)
    import CCurl
    import Curl
    import Locks
    import Platform

    /// A request, and who gets its response.
    struct CurlJob: Sendable {
        /// Identifies a job by its object.
        final class ID: Sendable {
            let isCancelled = Locked(false)
        }

        let id: ID
        let request: ClientRequest
        let receiver: any ResponseReceiver
        var timeout: Duration?
    }

    /// The thread of a transport. It begins with a job, and ends after a while without any.
    final class CurlThread: Sendable {
        enum Command: Sendable {
            case start(CurlJob)
            case cancel(CurlJob.ID)
            /// Reads on.
            case resume(CurlJob.ID)
        }

        private struct State {
            var commands: [Command] = []
            /// Nil unless the thread may wait.
            var multi: UnsafeMutableRawPointer?
            var isRunning = false
            var isStopped = false
        }

        private let settings: CurlTransport.Settings
        // Guards the handle too: nobody wakes up one that is freed.
        private let state = Locked(State())

        init(_ settings: CurlTransport.Settings) {
            self.settings = settings
        }

        /// Gives the thread something to do. Commands about jobs that have ended do nothing.
        func add(_ command: Command) {
            let begins = state.withLock { state in
                guard !state.isStopped else { return false }
                state.commands.append(command)
                if let multi = state.multi { ccurl_multi_wakeup(multi) }
                defer { state.isRunning = true }
                return !state.isRunning
            }
            guard begins else { return }
            if !startThread({ self.run() }) { fail(TransportFailure("the system has no thread left")) }
        }

        /// Ends a job whose response nobody awaits, also if it has not begun.
        func cancel(_ id: CurlJob.ID) {
            id.isCancelled.withLock { $0 = true }
            add(.cancel(id))
        }

        /// Ends all jobs, and the thread.
        func stop() {
            state.withLock { state in
                state.isStopped = true
                if let multi = state.multi { ccurl_multi_wakeup(multi) }
            }
        }

        private func run() {
            var library = settings.library
            if let problem = library.load() { return fail(TransportFailure(problem.reason)) }
            guard let multi = ccurl_multi_init() else { return fail(TransportFailure("libcurl has no memory")) }
            state.withLock { $0.multi = multi }
            var exchanges = CurlExchanges(multi, settings)
            var idleSince = MonotonicInstant.current
            while let commands = next(
                isIdle: exchanges.isEmpty && idleSince.duration(to: .current) >= settings.idleTime)
            {
                for command in commands { exchanges.perform(command) }
                exchanges.turn()
                if !exchanges.isEmpty { idleSince = .current }
                ccurl_multi_poll(multi, Int32(clamping: settings.idleTime.wholeMilliseconds + 1))
            }
            let failure = TransportFailure("the transport has ended")
            exchanges.end(failure)
            ccurl_multi_cleanup(multi)
            if state.withLock({ $0.isStopped }) { fail(failure) }
        }

        /// - Returns: nil for the end, after which nobody has the handle.
        private func next(isIdle: Bool) -> [Command]? {
            state.withLock { state in
                if state.isStopped || isIdle && state.commands.isEmpty {
                    state.multi = nil
                    state.isRunning = false
                    return nil
                }
                defer { state.commands = [] }
                return state.commands
            }
        }

        /// Ends without a thread. The next command tries again.
        private func fail(_ failure: TransportFailure) {
            let commands = state.withLock { state in
                defer { state.commands = [] }
                state.isRunning = false
                return state.commands
            }
            for case .start(let job) in commands { job.receiver.end(failure) }
        }
    }

    /// The exchanges of a thread, which are used there only.
    struct CurlExchanges {
        private let multi: UnsafeMutableRawPointer
        private let settings: CurlTransport.Settings
        private var exchanges: [ObjectIdentifier: CurlExchange] = [:]
        private var jobs: [UnsafeMutableRawPointer: ObjectIdentifier] = [:]

        init(_ multi: UnsafeMutableRawPointer, _ settings: CurlTransport.Settings) {
            self.multi = multi
            self.settings = settings
        }

        var isEmpty: Bool { exchanges.isEmpty }

        mutating func perform(_ command: CurlThread.Command) {
            switch command {
            case .start(let job): start(job)
            case .cancel(let id): take(ObjectIdentifier(id))?.close()
            case .resume(let id): exchanges[ObjectIdentifier(id)]?.resume()
            }
        }

        /// Does what can be done without waiting.
        mutating func turn() {
            var running: Int32 = 0
            ccurl_multi_perform(multi, &running)
            var left: Int32 = 0
            while let message = ccurl_multi_info_read(multi, &left) {
                guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
                let code = message.pointee.data.result
                guard let id = jobs[easy], let exchange = take(id) else { continue }
                exchange.end(code)
            }
            for exchange in exchanges.values { exchange.job.receiver.flush() }
        }

        /// Ends all exchanges.
        mutating func end(_ failure: TransportFailure) {
            for id in Array(exchanges.keys) {
                guard let exchange = take(id) else { continue }
                exchange.close()
                exchange.job.receiver.end(failure)
            }
        }

        private mutating func start(_ job: CurlJob) {
            guard !job.id.isCancelled.withLock({ $0 }) else { return }
            let exchange = CurlExchange(job)
            do throws(TransportFailure) {
                let easy = try exchange.open(settings)
                guard ccurl_multi_add_handle(multi, easy) == CURLM_OK else {
                    throw TransportFailure("libcurl cannot take the request")
                }
                exchanges[ObjectIdentifier(job.id)] = exchange
                jobs[easy] = ObjectIdentifier(job.id)
            } catch {
                exchange.close()
                job.receiver.end(error)
            }
        }

        private mutating func take(_ id: ObjectIdentifier) -> CurlExchange? {
            guard let exchange = exchanges.removeValue(forKey: id), let easy = exchange.easy else { return nil }
            jobs[easy] = nil
            // Of one that has not ended, this closes the connection.
            ccurl_multi_remove_handle(multi, easy)
            return exchange
        }
    }
#endif
