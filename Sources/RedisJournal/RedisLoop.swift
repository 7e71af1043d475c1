import Cluster
import Journal
import Locks
import Platform
import StoreHosting
import Synchronization

/// The work of the connection's thread.
final class RedisLoop: @unchecked Sendable {
    // Sendable, because one thread at a time uses it: the one that makes it, and then its own.

    /// How many writes may wait for their replies. Commands that come meanwhile are sent in one write, once the server
    /// has answered an earlier write: fewer and larger writes cost both sides less.
    private static let maxWrites = 4

    let connection: RedisConnection
    var pipeline: RedisPipeline
    var socket: RedisSocket?
    /// Where to connect next: the node of Redis Cluster that has the keys, as far as is known.
    private var endpoint: RedisAddress.Endpoint?
    /// The nodes of that cluster, as the newest connection has told.
    private var clusterNodes: [RedisAddress.Endpoint] = []
    private var reader: RedisReplyReader?
    var era = ""
    /// How many replies came on this connection.
    private var replyCount = 0
    /// How many replies will have come on this connection when all that was written is answered.
    private var owedCount = 0
    /// When commands were written, and how many replies there are once they are answered.
    private var writes: [(at: ContinuousClock.Instant, replyCount: Int)] = []
    /// The bytes of the write in progress, and how many of them are sent.
    private var output: [UInt8] = []
    private var sentCount = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    private var isConnecting = false
    var nextConnection = ContinuousClock.now
    var nextHeartbeat = ContinuousClock.now
    /// Whether a heartbeat is not answered yet.
    var isBeating = false
    /// When the server was last heard, or began to owe an answer.
    private var lastSign = ContinuousClock.now
    /// When the pipeline was last empty as commands were sent.
    private var sendStart: ContinuousClock.Instant?
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
            if socket == nil, !isConnecting, ContinuousClock.now >= nextConnection {
                isConnecting = true
                connection.connect(to: endpoint, clusterNodes)
            }
            let canRead = connection.wait(
                socket, forWriting: sentCount < output.count, takesRequests: socket == nil || canSend,
                until: nextWakeup)
            takeInbox()
            checkLease()
            if canRead { receive() }
            expire()
            if !isClosing { sendHeartbeat() }
            flush()
            // On closing, commands that the server refuses or does not answer are given up.
            let isStuck = socket == nil || connection.isRefusing.load(ordering: .relaxed)
            if isClosing, pipeline.isEmpty || isStuck { close() }
        }
    }

    private var nextWakeup: ContinuousClock.Instant {
        var next = nextHeartbeat
        if socket == nil, !isConnecting { next = min(next, nextConnection) }
        if let deadline = pipeline.nextDeadline { next = min(next, deadline) }
        if isOwner, let end = lease.end { next = min(next, connection.membership.instant(end)) }
        return next
    }

    /// Whether commands can be sent as soon as they come.
    private var canSend: Bool { sentCount == output.count && writes.count < Self.maxWrites }

    private func takeInbox() {
        let (requests, outcome, observer) = connection.inbox.withLock { inbox in
            defer { (inbox.requests, inbox.outcome, inbox.observer) = ([], nil, nil) }
            inbox.isAsleep = false
            isClosing = inbox.isClosing
            return (inbox.requests, inbox.outcome, inbox.observer)
        }
        if let observer {
            self.observer = observer
            observer(.nodes(nodes))
        }
        for request in requests { pipeline.append(request) }
        if let outcome { take(outcome) }
    }

    private func take(_ outcome: RedisHandshake.Outcome) {
        isConnecting = false
        switch outcome {
        case .ready(let opened):
            guard let reader = try? RedisReplyReader() else {
                opened.socket.close()
                return disconnect("there is no memory")
            }
            self.reader = consume reader
            (socket, endpoint) = (opened.socket, opened.socket.endpoint)
            (era, clusterNodes) = (opened.server.id, opened.clusterNodes)
            adopt(opened.lease, opened.scripts)
            (lastSign, nextHeartbeat) = (.now, .now)
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
        guard let socket else { return }
        do {
            while let count = try socket.receive(into: buffer) {
                try reader?.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                try takeReplies()
                if self.socket == nil { return }
                if count < buffer.count { break }
            }
            // Completions take time too.
            lastSign = .now
        } catch let failure as RedisSocket.Failure {
            disconnect(failure.detail)
        } catch {
            disconnect("it does not speak the protocol of Redis")
        }
    }

    /// Takes the replies that have come completely.
    private func takeReplies() throws {
        var step = RedisPipeline.Step()
        // Also if the bytes behind them are no reply: the pipeline does not have these commands any more.
        defer { perform(step) }
        while let reply = try reader?.next() {
            countReply()
            pipeline.receive(reply, &step)
            guard step.isUrgent else { continue }
            perform(step)
            step = RedisPipeline.Step()
            if socket == nil { return }
        }
    }

    private func countReply() {
        replyCount += 1
        guard let write = writes.first, write.replyCount <= replyCount else { return }
        writes.removeFirst()
        connection.latencyObserver.call(ContinuousClock.now - write.at)
    }

    private func perform(_ step: RedisPipeline.Step) {
        connection.waitingBytes.subtract(step.byteCount, ordering: .relaxed)
        // The replies of a lost connection are lost with it: commands that were not completed are sent again.
        if step.mustReconnect {
            disconnect(step.problem.map(follow) ?? reason)
        } else if let problem = step.problem {
            refuse(RedisVerdict.explanation(of: problem))
        }
        connection.conflicts.add(step.conflicts, ordering: .relaxed)
        if let count = step.writeCount { connection.writeCount.max(count, ordering: .relaxed) }
        for completion in step.completions { completion() }
        guard step.hasWritten else { return }
        if let start = sendStart, !pipeline.isWaiting {
            sendStart = nil
            connection.transactions.add(1, ordering: .relaxed)
            connection.transactionObserver.call(ContinuousClock.now - start)
        }
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
        if socket != nil, !connection.isRefusing.load(ordering: .relaxed) { reason = "it does not answer" }
        perform(pipeline.expire(now, because: reason))
        if socket != nil, pipeline.isWaiting, now - lastSign > connection.settings.timeouts.readTimeout {
            disconnect("it does not answer")
        }
    }

    func disconnect(_ detail: String) {
        reason = detail
        connection.isReady.store(false, ordering: .releasing)
        socket?.close()
        socket = nil
        reader = nil
        (output, sentCount) = ([], 0)
        (sendStart, isBeating, replyCount, owedCount, writes) = (nil, false, 0, 0, [])
        pipeline.disconnect()
        nextConnection = .now + .milliseconds(100)
        reportProblem(detail)
    }

    private func flush() {
        guard let socket else { return }
        do throws(RedisSocket.Failure) {
            while true {
                if sentCount == output.count {
                    guard pipeline.hasUnsent, canSend else { return }
                    let now = ContinuousClock.now
                    if !pipeline.isWaiting { (lastSign, sendStart) = (now, now) }
                    output.removeAll(keepingCapacity: output.capacity <= 1 << 17)
                    sentCount = 0
                    owedCount += pipeline.take(into: &output)
                    writes.append((now, owedCount))
                }
                sentCount += try socket.send(output[sentCount...])
                if sentCount < output.count { return }
            }
        } catch {
            disconnect(error.detail)
        }
    }

    private func close() {
        isOver = true
        defer { socket = nil }
        // Commands that came meanwhile fail.
        let requests = connection.inbox.withLock { inbox in
            inbox.isClosed = true
            defer { inbox.requests = [] }
            return inbox.requests
        }
        for request in requests { pipeline.append(request) }
        let rest = pipeline.removeAll(because: "the journal is closed")
        for completion in rest.completions { completion() }
        giveBack()
        socket?.close()
        connection.isReady.store(false, ordering: .releasing)
        connection.hasClosed()
    }
}
