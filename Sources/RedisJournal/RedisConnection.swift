import Cluster
import Dispatch
import Journal
import Locks
import Platform
import Sockets
import StoreHosting
import Synchronization
import Threads

/// The connection of a process to Redis: it sends commands in their order, few reads among them, and again if it is lost.
///
/// A thread of its own waits for the socket. All commands that wait are sent in one write, and no caller blocks. Commits of requests
/// on an event loop go by its ``RedisLane`` instead, while there is one.
final class RedisConnection: Sendable {
    /// The backlog, in bytes, above which the journal is unavailable for new work.
    private static let maxWaitingBytes = 64 << 20
    static let closedDetail = "the journal is closed"

    let settings: RedisSettings
    let node: RedisNode
    let clock: RedisClock
    let report: @Sendable (StorageEvent) -> Void
    // Guards what the attempts to connect have seen of the nodes of earlier releases. Nothing is called while it is held.
    let earlierNodes = Locked(EarlierNodes())
    // Guards the commands on their way to the thread. No other lock is taken while it is held.
    let inbox = Locked(RedisInbox())
    // Guards the hashes of the scripts, which the thread sets before it sends a command.
    let scripts = Locked<[RedisScript: [UInt8]]>([:])
    let transactionObserver = DurationObserver()
    /// Gets the time from each write of commands to the last reply to it.
    let latencyObserver = DurationObserver()

    let knownLanes = LazyReference<RedisLanes>()

    /// The pipe that wakes the thread.
    private let wakeRead: Int32
    private let wakeWrite: Int32

    /// Is fulfilled when the connection is closed.
    private let end = Promise<Void>()
    let membership = RedisMembership()
    let isReady = Atomic(false)
    let isRefusing = Atomic(false)
    let waitingBytes = Atomic(0)
    let live = Atomic(0)
    let transactions = Atomic(0)
    /// How many nodes have leases that hold, as far as is known.
    let nodeCount = Atomic(0)
    /// How many sessions were claimed from nodes that had not given them back.
    let takeovers = Atomic(0)
    /// How many commands were refused because another claim or commit came before them.
    let conflicts = Atomic(0)
    /// How many batches of writes all nodes have sent, as far as is known; -1 before the storage was opened.
    let writeCount = Atomic(-1)
    // Guards the era of the server in which they were counted. No other lock is taken while it is held.
    let era = Locked("")
    /// Whether the lists of subjects have the owners of all sessions, as far as is known.
    let hasOwners = Atomic(false)
    /// Names the newest loss of acknowledged commits; 0 if there was none.
    let lineageID = Atomic(0)

    init(
        _ settings: RedisSettings, _ node: RedisNode, _ clock: RedisClock,
        _ report: @escaping @Sendable (StorageEvent) -> Void
    ) throws(StorageError) {
        _ = try RedisReplyReader()
        (self.settings, self.node, self.clock) = (settings, node, clock)
        self.report = report
        var pipe: [Int32] = [-1, -1]
        guard Platform.pipe(&pipe) == 0 else { throw .refused("pipe: \(String(cString: strerror(errno)))") }
        for end in pipe {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (wakeRead, wakeWrite) = (pipe[0], pipe[1])
    }

    deinit {
        _ = Platform.close(wakeRead)
        _ = Platform.close(wakeWrite)
    }

    /// Starts the thread, and waits until the node has a lease.
    ///
    /// - Parameter waitTimeout: how long to wait for a server that does not answer. After that it is opened in the background.
    /// - Throws: why it cannot be opened.
    func start(waitTimeout: Duration) throws(StorageError) {
        let begin = ContinuousClock.now
        while true {
            let outcome = RedisHandshake(settings: settings, earlierNodes: earlierNodes).run()
            switch outcome {
            case .ready:
                try run(outcome)
                // The thread gets the lease.
                while !membership.isMember, ContinuousClock.now - begin < waitTimeout { usleep(1000) }
                return
            case .refused(let detail): throw .refused("\(settings.address): \(detail)")
            case .failed(let reason):
                if ContinuousClock.now - begin >= waitTimeout { return try run(.failed(reason)) }
            }
            usleep(100_000)
        }
    }

    private func run(_ outcome: RedisHandshake.Outcome) throws(StorageError) {
        // It takes the connection here, so that the journal is available at once.
        let loop = RedisLoop(self, outcome)
        // Its commands refer to it weakly.
        guard startThread({ withExtendedLifetime(loop) { loop.run() } }) else {
            throw .refused("there is no thread for Redis")
        }
    }

    var isAvailable: Bool {
        isReady.load(ordering: .relaxed) && !isRefusing.load(ordering: .relaxed) && membership.isMember
            && waitingBytes.load(ordering: .relaxed) < Self.maxWaitingBytes
    }

    /// Calls a script.
    ///
    /// - Parameters:
    ///   - keys: those that it works on.
    ///   - byteCount: about how many bytes the arguments take.
    ///   - arguments: made when the call is sent for the first time; nil if it is of no use any more.
    func call(
        _ script: RedisScript, _ keys: RedisKeys, byteCount: Int = 64,
        _ arguments: @escaping @Sendable () -> RedisArguments?,
        done: @escaping @Sendable (Result<RedisReply, JournalError>) -> Void
    ) {
        send(
            RedisCall(
                kind(of: script), byteCount: byteCount, deadline: nextDeadline,
                encode: { [self] in arguments().flatMap { encode(script, keys, $0) }.map(RedisBatch.init) }, done: done)
        )
    }

    /// When a command that is made now fails.
    var nextDeadline: ContinuousClock.Instant { .now + settings.timeouts.reply }

    /// A call of a script; nil before the first connection.
    func encode(_ script: RedisScript, _ keys: RedisKeys, _ arguments: consuming RedisArguments) -> RedisCommand? {
        guard let hash = scripts.withLock({ $0[script] }) else { return nil }
        return RedisCommand(evaluating: hash, keys, arguments)
    }

    private func kind(of script: RedisScript) -> RedisRequestKind {
        if script.isWrite { return .write }
        // After a failover that has lost a claim, another node would have the same epoch.
        return script == .load ? .claim : .read
    }

    /// Gives a request to the thread. Unless it only reads, it is sent after all requests that lanes have taken before: they may be of
    /// the same session.
    func send(_ request: any RedisRequest) {
        send(request, after: request.kind == .read ? [] : lanes.compactMap(\.mark))
    }

    /// Gives a request to the thread, which sends it after these of lanes.
    func send(_ request: any RedisRequest, after marks: [RedisLane.Mark]) {
        waitingBytes.add(request.byteCount, ordering: .relaxed)
        let (wakes, isClosed) = inbox.withLock { inbox in
            inbox.isClosed ? (false, true) : (inbox.append(request, after: marks), false)
        }
        if isClosed {
            waitingBytes.subtract(request.byteCount, ordering: .relaxed)
            // The caller may hold the lock that the completion takes.
            DispatchQueue.global().async { request.done(.failure(.unavailable(Self.closedDetail))) }
        } else if wakes {
            wake()
        }
    }

    /// A command that stores something is durable.
    func acknowledge(_ written: RedisWritten) {
        if let sessions = written.sessions { live.store(sessions, ordering: .relaxed) }
    }

    func observeOwnership(_ observer: @escaping @Sendable (OwnershipEvent) -> Void) {
        inbox.withLock { $0.arrivals.observer = observer }
        wake()
    }

    /// Sends what waits, and ends the thread.
    func close() {
        let isClosed = inbox.withLock { inbox in
            inbox.isClosing = true
            return inbox.isClosed
        }
        if !isClosed { wake() }
    }

    /// Returns once everything is answered or has failed, and the thread has ended.
    func closed() async { await end.value() }

    /// The thread has ended.
    func hasClosed() { end.fulfill(()) }

    /// Makes another connection on a thread of its own, because that may block.
    ///
    /// - Parameters:
    ///   - endpoint: the node of Redis Cluster that has the keys, as far as is known.
    ///   - others: all nodes of that cluster, as far as is known.
    func connect(to endpoint: RedisAddress.Endpoint?, _ others: [RedisAddress.Endpoint]) {
        let known = writeCount.load(ordering: .relaxed)
        let isStarted = startThread { [self] in
            let handshake = RedisHandshake(
                settings: settings, endpoint: endpoint, others: others,
                known: known < 0 ? nil : StorageLineage.Witness(era: era.withLock(\.self), count: known),
                earlierNodes: earlierNodes)
            let outcome = handshake.run()
            let isClosed = inbox.withLock { inbox in
                if !inbox.isClosed { inbox.arrivals.outcome = outcome }
                return inbox.isClosed
            }
            if isClosed, case .ready(let opened) = outcome { opened.socket.close() }
            wake()
        }
        if !isStarted { inbox.withLock { $0.arrivals.outcome = .failed("there is no thread for the connection") } }
    }

    func wake() {
        var byte: UInt8 = 1
        _ = write(wakeWrite, &byte, 1)
    }

    /// Waits until the socket is ready, the thread is woken, or the time is over.
    ///
    /// - Parameter takesRequests: whether requests end the wait. They need not if they could not be sent.
    /// - Returns: whether the socket can be read.
    func wait(
        _ socket: RedisSocket?, forWriting: Bool, takesRequests: Bool, until deadline: ContinuousClock.Instant
    ) -> Bool {
        let hasRequests = inbox.withLock { $0.fallAsleep(takesRequests: takesRequests) }
        let rest = hasRequests ? 0 : max(0, ContinuousClock.now.duration(to: deadline).wholeMilliseconds)
        var watched = (pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0), pollfd(fd: -1, events: 0, revents: 0))
        if let socket {
            watched.1 = pollfd(
                fd: socket.descriptor, events: Int16(POLLIN | (forWriting ? POLLOUT : 0)), revents: 0)
        }
        let count = withUnsafeMutablePointer(to: &watched) { both in
            both.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, Int32(clamping: rest)) }
        }
        guard count > 0 else { return false }
        if watched.0.revents != 0 {
            var bytes: UInt64 = 0
            _ = read(wakeRead, &bytes, MemoryLayout<UInt64>.size)
        }
        return Int32(watched.1.revents) & (POLLIN | POLLHUP | POLLERR) != 0
    }
}
