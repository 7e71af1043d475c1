import Journal
import Locks
import Platform
import Sockets
import StoreHosting
import Synchronization
import Threads

// The connections that belong to event loops.
extension RedisConnection {
    /// Makes lanes of these loops. Only the first call has an effect.
    func use(_ loops: [any EventLoop]) {
        _ = knownLanes.storeIfNil(RedisLanes(loops))
        wake()
    }

    /// The lanes of the loops, open or closed; none before ``use(_:)``.
    var lanes: [RedisLane] { knownLanes.load()?.all ?? [] }

    /// Sends a request of a session: by the lane of the event loop that the caller runs on, or else by the thread.
    ///
    /// - Parameters:
    ///   - way: that of the session's newest request, if that one is not completed.
    ///   - mayUseLane: false for a request that only the thread sends.
    func send(_ request: any RedisRequest, behind way: RedisWay?, byLane mayUseLane: Bool) -> RedisWay {
        let lane = mayUseLane ? knownLanes.load()?.all.first(where: \.isCurrent) : nil
        if let mark = lane?.take(request, behind: way) {
            waitingBytes.add(request.byteCount, ordering: .relaxed)
            return .lane(mark)
        }
        send(request, after: way?.mark.map { [$0] } ?? [])
        return .thread(after: way?.mark)
    }

    /// Makes connections for the lanes that have none, on a thread of its own, because that may block.
    ///
    /// - Parameters:
    ///   - run: the run of the server that they must lead to.
    ///   - number: that of the connection that they are beside.
    func connectLanes(to endpoint: RedisAddress.Endpoint, _ run: String, _ number: Int) {
        let areOpen = lanes.map(\.isOpen)
        let isStarted = startThread { [self] in
            let handshake = RedisHandshake(settings: settings, endpoint: endpoint)
            let sockets = areOpen.map { $0 ? nil : handshake.lane(to: endpoint, run) }
            let opened = OpenedLanes(number: number, sockets: sockets)
            let isClosed = inbox.withLock { inbox in
                if !inbox.isClosed { inbox.arrivals.lanes = opened }
                return inbox.isClosed
            }
            if isClosed { opened.close() }
            wake()
        }
        if !isStarted { inbox.withLock { $0.arrivals.lanes = OpenedLanes(number: number, sockets: []) } }
    }

    /// A lane has completed requests.
    ///
    /// - Parameters:
    ///   - problem: why the server refuses commands; nil if it does not.
    ///   - count: counts the requests. Then those that came after them may be sent.
    func hasProgressed(_ problem: String?, _ count: () -> Void) {
        let wakes = inbox.withLock { inbox in
            count()
            if problem != nil { inbox.arrivals.laneProblem = problem }
            return inbox.wakes()
        }
        if wakes || problem != nil { wake() }
    }

    /// Takes the requests of a lane that is closed.
    ///
    /// - Parameters:
    ///   - failure: why this connection is of no use either; nil if it is lost already. If there are no requests, it may go on.
    ///   - count: counts the requests. Then those that came after them may be sent.
    func takeBack(_ items: [RedisPipeline.Item], because failure: String?, _ count: () -> Void) {
        let isClosed = inbox.withLock { inbox in
            count()
            guard !inbox.isClosed else { return true }
            inbox.arrivals.items += items
            if let failure, !items.isEmpty { inbox.arrivals.laneFailure = failure }
            return false
        }
        guard isClosed else { return wake() }
        var pipeline = RedisPipeline()
        for item in items { pipeline.append(item) }
        complete(pipeline.removeAll(because: Self.closedDetail))
    }

    /// Performs what replies have brought about, on the lane or the thread.
    func complete(_ step: RedisPipeline.Step) {
        waitingBytes.subtract(step.byteCount, ordering: .relaxed)
        conflicts.add(step.conflicts, ordering: .relaxed)
        if let count = step.writeCount { writeCount.max(count, ordering: .relaxed) }
        for completion in step.completions { completion() }
    }

    /// - Parameter duration: how long the writes took that are answered now; nil if some are not.
    func hasWritten(_ duration: Duration?) {
        guard let duration else { return }
        transactions.add(1, ordering: .relaxed)
        transactionObserver.call(duration)
    }
}
