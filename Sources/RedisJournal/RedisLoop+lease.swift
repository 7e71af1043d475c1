import Cluster
import Journal
import Locks
import Platform
import StoreHosting
import Synchronization

// The lease, and whether the server would execute a commit.
extension RedisLoop {
    /// Tells the server that the process lives, and finds out whether it would execute a commit.
    func sendHeartbeat() {
        // One at a time, because a WAIT for missing replicas takes longer than the interval.
        let scripts = connection.scripts.withLock(\.self)
        guard socket != nil, !isBeating, let open = scripts[.open], let probe = scripts[.probe] else { return }
        isBeating = true
        let settings = connection.settings
        sendLeaseRequest(open)
        // The server refuses this as long as it would refuse commits.
        append(RedisCommand(evaluating: probe, settings.keys, RedisArguments())) { loop, result in
            guard case .success = result, !loop.pipeline.lacksReplicas else { return }
            if loop.connection.isRefusing.exchange(false, ordering: .relaxed) { loop.reportRecovery() }
        }
        append(settings.query) { loop, result in
            loop.isBeating = false
            let problem: String? =
                switch result {
                case .success where settings.areTrusted: nil
                case .success(let reply): RedisFacts.problem(RedisFacts.settings(reply), isRelaxed: settings.isRelaxed)
                case .failure(let error): error.detail
                }
            if let problem { loop.disconnect(problem) }
        }
    }

    /// Sends what the lease needs now.
    private func sendLeaseRequest(_ open: [UInt8]) {
        guard let request = lease.nextRequest(now: connection.membership.now) else { return }
        let (mode, incarnation): (RedisLease.Mode, NodeIncarnation)
        switch request.command {
        case .register:
            (mode, incarnation) = (
                .register, NodeIncarnation(number: RedisLease.randomNumber(), address: connection.node.address)
            )
        case .renew(let current): (mode, incarnation) = (.renew, current)
        case .leave(let incarnation): return sendLeave(of: incarnation, request)
        }
        let settings = connection.settings
        let arguments = RedisLease.arguments(
            settings, mode, incarnation: incarnation.number, known: connection.writeCount.load(ordering: .relaxed),
            RedisLease.Change(era: era))
        let sentAt = RedisClock.steady
        let command = RedisCommand(evaluating: open, settings.keys, arguments)
        // Replicas must have it, else another node could claim the sessions after a failover.
        append(command, .lease, deadline: connection.nextDeadline) { loop, result in
            switch result.map(RedisLease.init) {
            case .success(.opened(let opened)):
                loop.takeTime(opened.time, sentAt: sentAt)
                loop.take(.granted(incarnation), to: request)
                if loop.hasNamesake(opened, mode) { return loop.stop(open) }
                // The checks of a new connection are due, with what this node knows.
                if opened.hasLost { return loop.disconnect("its data have changed") }
                loop.take(opened)
            case .success(.forgotten): loop.take(.forgotten, to: request)
            // Without an answer the lease ends.
            case .success, .failure: break
            }
        }
    }

    private func takeTime(_ time: Int, sentAt: Int) {
        switch connection.clock.take(time, sentAt: sentAt) {
        case .differs(let ahead): connection.report(.clockDiffers(RedisClock.problem(ahead)))
        case .agrees: connection.report(.clockAgrees)
        case nil: break
        }
    }

    private func take(_ answer: NodeLease.Answer, to request: NodeLease.Request) {
        // It may have ended since the thread last looked.
        checkLease()
        let change = lease.take(answer, to: request, now: connection.membership.now)
        connection.membership.take(lease)
        checkLease()
        if case .ended = change, let open = connection.scripts.withLock({ $0[.open] }) { sendLeaseRequest(open) }
    }

    /// Whether another process that is alive has the node's address.
    private func hasNamesake(_ opened: RedisLease.Opened, _ mode: RedisLease.Mode) -> Bool {
        if mode == .renew { return addressConflict.renewed(beside: opened.namesakes) }
        addressConflict.registered(beside: opened.namesakes)
        return false
    }

    /// Gives all sessions back and gets no more, since requests for them arrive at another process.
    private func stop(_ open: [UInt8]) {
        guard lease.leave(now: connection.membership.now) else { return }
        connection.membership.take(lease)
        checkLease()
        sendLeaseRequest(open)
    }

    private func sendLeave(of incarnation: NodeIncarnation, _ request: NodeLease.Request) {
        guard let command = leaveCommand(of: incarnation) else { return }
        append(command, .lease, deadline: connection.nextDeadline) { loop, result in
            guard case .success = result,
                loop.lease.take(.granted(incarnation), to: request, now: loop.connection.membership.now) == .left
            else { return }
            loop.connection.report(.addressTaken(incarnation.address))
        }
    }

    private func leaveCommand(of incarnation: NodeIncarnation) -> RedisCommand? {
        connection.scripts.withLock { $0[.leave] }.map { leave in
            RedisCommand(evaluating: leave, connection.settings.keys, RedisArguments(String(incarnation.number)))
        }
    }

    /// Gives all sessions back before the end, so that other nodes need not wait for the end of the lease.
    func giveBack() {
        let now = connection.membership.now
        guard lease.leave(now: now), case .leave(let incarnation)? = lease.nextRequest(now: now)?.command else {
            return
        }
        connection.membership.take(lease)
        guard let socket, let command = leaveCommand(of: incarnation) else { return }
        // The sessions are free before `close` completes.
        _ = try? RedisExchange(socket, until: .now + connection.settings.timeouts.exchange)(RedisBatch(command))
    }

    /// Adds a command of the connection itself.
    private func append(
        _ command: RedisCommand, _ kind: RedisRequestKind = .heartbeat, deadline: ContinuousClock.Instant? = nil,
        _ done: @escaping @Sendable (RedisLoop, Result<RedisReply, JournalError>) -> Void
    ) {
        let request = RedisCall(
            kind, byteCount: 0, deadline: deadline, encode: { RedisBatch(command) },
            done: { [weak self] result in
                if let self { done(self, result) }
            })
        pipeline.append(request)
    }
}
