import Cluster
import Journal
import Locks
import Platform
import StoreHosting
import Synchronization

/// The work of the connection's thread.
final class RedisLoop: @unchecked Sendable {
    // Sendable, because one thread at a time uses it: the one that makes it, and then its own.

    let connection: RedisConnection
    var pipeline: RedisPipeline
    private var wire: RedisWire?
    var socket: RedisSocket? { wire?.socket }
    /// Where to connect next: the node of Redis Cluster that has the keys, as far as is known.
    private var endpoint: RedisAddress.Endpoint?
    /// The nodes of that cluster, as the newest connection has told.
    private var clusterNodes: [RedisAddress.Endpoint] = []
    var era = ""
    private var runID = ""
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    private var isConnecting = false
    var nextConnection = ContinuousClock.now
    var nextHeartbeat = ContinuousClock.now
    /// Whether a heartbeat is not answered yet.
    var isBeating = false
    /// The number of the connection: that of an earlier one may have ended.
    private var number = 0
    private var isConnectingLanes = false
    private var nextLanes = ContinuousClock.now
    /// Why there is no connection.
    private var reason = "it is not connected yet"
    /// Decides when it is reported that Redis cannot be used.
    private var problem = LastingProblem(changedAfter: 10_000)
    var lease: NodeLease
    var addressConflict = AddressConflict()
    /// Whether the node may have sessions: if its lease ends, they are lost.
    private var isOwner = false
    /// The addresses of the nodes whose leases hold.
    private var nodes: Set<String> = []
    private var observer: (@Sendable (OwnershipEvent) -> Void)?
    private var isClosing = false
    private var isOver = false
    private var wasOpened = false

    /// - Parameter outcome: a connection that is ready, or why there is none yet.
    init(_ connection: RedisConnection, _ outcome: RedisHandshake.Outcome) {
        self.connection = connection
        pipeline = RedisPipeline(replicas: connection.settings.replicas)
        lease = NodeLease(
            NodeLease.Terms(duration: connection.node.lease.wholeMilliseconds), now: connection.membership.now)
        take(outcome)
    }

    deinit { buffer.deallocate() }

    func run() {
        while !isOver {
            connect()
            let canRead = connection.wait(
                socket, forWriting: wire?.hasOutput == true, takesRequests: wire?.canSend != false, until: nextWakeup)
            takeInbox()
            checkLease()
            if canRead { receive() }
            expire()
            beat()
            flush()
            if isClosing { closeIfDone() }
        }
    }

    /// Begins to make the connections that are missing.
    private func connect() {
        let now = ContinuousClock.now
        if wire == nil, !isConnecting, now >= nextConnection {
            isConnecting = true
            connection.connect(to: endpoint, clusterNodes)
        }
        // A change that replicas must have waits for them, and the heartbeat asks for them again.
        guard let wire, pipeline.replicas == 0, !runID.isEmpty, !isClosing, !isConnectingLanes, now >= nextLanes,
            !connection.lanes.allSatisfy(\.isOpen)
        else { return }
        isConnectingLanes = true
        connection.connectLanes(to: wire.socket.endpoint, runID, number)
    }

    private var nextWakeup: ContinuousClock.Instant {
        var next = nextHeartbeat
        if wire == nil, !isConnecting { next = min(next, nextConnection) }
        if let deadline = pipeline.nextDeadline { next = min(next, deadline) }
        if isOwner, let end = lease.end { next = min(next, connection.membership.instant(end)) }
        return next
    }

    private func takeInbox() {
        let arrivals = connection.inbox.withLock { inbox in
            isClosing = inbox.isClosing
            return inbox.take()
        }
        if let observer = arrivals.observer {
            self.observer = observer
            observer(.nodes(nodes))
        }
        // First: what was sent on a lane must be sent again on another connection.
        if let failure = arrivals.laneFailure, wire != nil { disconnect(follow(failure)) }
        if let problem = arrivals.laneProblem { refuse(RedisVerdict.explanation(of: problem)) }
        for item in arrivals.items { pipeline.append(item) }
        if let outcome = arrivals.outcome { take(outcome) }
        if let opened = arrivals.lanes { take(opened) }
    }

    private func take(_ opened: OpenedLanes) {
        isConnectingLanes = false
        guard wire != nil, opened.number == number, !isClosing else { return opened.close() }
        nextLanes = .now + .seconds(5)
        for (lane, socket) in zip(connection.lanes, opened.sockets) {
            if let socket { lane.open(socket, connection, counting: pipeline.count) }
        }
    }

    private func take(_ outcome: RedisHandshake.Outcome) {
        isConnecting = false
        switch outcome {
        case .ready(let opened):
            guard let wire = try? RedisWire(opened.socket) else {
                opened.socket.close()
                return disconnect("there is no memory")
            }
            (self.wire, endpoint) = (wire, opened.socket.endpoint)
            (era, runID, clusterNodes) = (opened.server.id, opened.runID, opened.clusterNodes)
            adopt(opened.lease, opened.scripts)
            number += 1
            (nextHeartbeat, nextLanes) = (.now, .now)
            // A server that refuses commits has not recovered.
            if !connection.isRefusing.load(ordering: .relaxed) { reportRecovery() }
        case .failed(let detail):
            // The configured node was asked, too, and all others.
            endpoint = nil
            disconnect(detail)
        case .refused(let detail):
            if !wasOpened { connection.report(.refused("\(connection.settings.address): \(detail)")) }
            disconnect(detail)
        }
    }

    private func adopt(_ opened: RedisLease.Opened, _ scripts: [RedisScript: [UInt8]]) {
        connection.scripts.withLock { $0 = scripts }
        pipeline.count = scripts[.count].map {
            RedisCommand(evaluating: $0, connection.settings.keys, RedisArguments())
        }
        connection.era.withLock { $0 = era }
        connection.writeCount.store(opened.writeCount, ordering: .relaxed)
        take(opened)
        wasOpened = true
        connection.isReady.store(true, ordering: .releasing)
    }

    /// Takes the facts that the storage returns with each renewal of the lease.
    func take(_ opened: RedisLease.Opened) {
        connection.live.store(opened.sessions, ordering: .relaxed)
        connection.writeCount.max(opened.writeCount, ordering: .relaxed)
        connection.hasOwners.store(opened.hasOwners, ordering: .relaxed)
        // Another node may have found the loss.
        let lineageID = connection.lineageID.exchange(opened.lineageID, ordering: .acquiringAndReleasing)
        if wasOpened, lineageID != opened.lineageID {
            connection.report(.lostCommits)
            observer?(.lost)
        }
        guard nodes != opened.nodes else { return }
        nodes = opened.nodes
        connection.nodeCount.store(nodes.count, ordering: .relaxed)
        observer?(.nodes(nodes))
    }

    /// Finds out whether the node has lost its sessions, because it was forgotten or could not renew its lease.
    func checkLease() {
        let holds = lease.holds(at: connection.membership.now)
        guard holds != isOwner else { return }
        isOwner = holds
        if !holds { observer?(.lost) }
    }

    private func receive() {
        guard let wire else { return }
        do {
            var hasMore = true
            while hasMore {
                hasMore = try wire.receive(into: buffer)
                try takeReplies(from: wire)
                if self.wire == nil { return }
            }
            wire.hasHeard()
        } catch let failure as RedisSocket.Failure {
            disconnect(failure.detail)
        } catch {
            disconnect("it does not speak the protocol of Redis")
        }
    }

    /// Takes the replies that have come completely.
    private func takeReplies(from wire: RedisWire) throws {
        var step = RedisPipeline.Step()
        // Also if the bytes behind them are no reply: the pipeline does not have these commands any more.
        defer { perform(step) }
        while let reply = try wire.nextReply(connection.latencyObserver) {
            pipeline.receive(reply, &step)
            guard step.isUrgent else { continue }
            perform(step)
            step = RedisPipeline.Step()
            if self.wire == nil { return }
        }
    }

    private func perform(_ step: RedisPipeline.Step) {
        // The replies of a lost connection are lost with it: commands that were not completed are sent again.
        if step.mustReconnect {
            disconnect(step.problem.map(follow) ?? reason)
        } else if let problem = step.problem {
            refuse(RedisVerdict.explanation(of: problem))
        }
        connection.complete(step)
        if step.hasWritten { connection.hasWritten(wire?.takeDuration(pipeline)) }
    }

    /// Goes on at another node of the cluster, if the server says which one has the keys now.
    ///
    /// - Returns: why the connection is closed.
    private func follow(_ problem: String) -> String {
        guard let socket, let next = RedisRedirect(error: problem)?.endpoint(from: socket.endpoint) else {
            return problem
        }
        endpoint = next
        return "the node \(next) of its cluster has the sessions now"
    }

    /// The server refuses commands, because it is out of memory for example, or replicas are missing.
    private func refuse(_ detail: String) {
        reason = detail
        connection.isRefusing.store(true, ordering: .relaxed)
        reportProblem(detail)
    }

    /// Reports why Redis cannot be used, and later why it still cannot if that changes.
    private func reportProblem(_ detail: String) {
        guard problem.occurs(detail, now: connection.membership.now) else { return }
        connection.report(.disconnected("\(connection.settings.address): \(detail)"))
    }

    func reportRecovery() {
        // A node that has left commits nothing more.
        if problem.ends(), !lease.hasLeft { connection.report(.recovered) }
    }

    private func expire() {
        let now = ContinuousClock.now
        if wire != nil, !connection.isRefusing.load(ordering: .relaxed) { reason = "it does not answer" }
        perform(pipeline.expire(now, because: reason))
        guard let wire, pipeline.isWaiting else { return }
        if now - wire.lastSign > connection.settings.timeouts.readTimeout { disconnect("it does not answer") }
    }

    /// Finds out whether the server answers.
    private func beat() {
        let now = ContinuousClock.now
        guard now >= nextHeartbeat else { return }
        nextHeartbeat = now + lease.interval
        let timeout = connection.settings.timeouts.readTimeout
        let areBusy = connection.lanes.map { $0.check(timeout, now) }
        if areBusy.contains(true), wire != nil { disconnect("an event loop is busy and does not take its answers") }
        if !isClosing { sendHeartbeat() }
    }

    func disconnect(_ detail: String) {
        reason = detail
        connection.isReady.store(false, ordering: .releasing)
        wire?.socket.close()
        (wire, isBeating) = (nil, false)
        pipeline.disconnect()
        for lane in connection.lanes { lane.end(because: nil) }
        nextConnection = .now + .milliseconds(100)
        reportProblem(detail)
    }

    private func flush() {
        guard let wire else { return }
        do throws(RedisSocket.Failure) {
            try wire.send(from: &pipeline)
        } catch {
            disconnect(error.detail)
        }
    }

    private func closeIfDone() {
        let lanes = connection.lanes
        for lane in lanes { lane.retire() }
        // Commands that the server refuses or does not answer are given up.
        let isStuck = wire == nil || connection.isRefusing.load(ordering: .relaxed)
        let isEmpty = connection.inbox.withLock { $0.isEmpty && lanes.allSatisfy(\.isIdle) }
        if isStuck || isEmpty && pipeline.isEmpty { close() }
    }

    private func close() {
        isOver = true
        defer { wire = nil }
        for lane in connection.lanes { lane.end(because: nil) }
        // Commands that came meanwhile fail.
        for item in connection.inbox.withLock({ $0.close() }) { pipeline.append(item) }
        let rest = pipeline.removeAll(because: RedisConnection.closedDetail)
        for completion in rest.completions { completion() }
        giveBack()
        socket?.close()
        connection.isReady.store(false, ordering: .releasing)
        connection.hasClosed()
    }
}
