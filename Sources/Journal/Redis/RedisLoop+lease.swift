import Cluster
import Locks
import Platform
import StoreHosting
import Synchronization

// The lease, and whether the server would execute a commit.
extension RedisLoop {
    /// Another process has the storage: this one must not use what it has in memory.
    func loseLease() {
        let detail = "another process has taken over the sessions with the prefix '\(connection.settings.prefix)'"
        connection.report(.refused("\(connection.settings.address): \(detail)"))
        isReported = true
        disconnect(detail)
        nextConnection = .now + .seconds(1)
    }

    /// Tells the server that the process lives, and finds out whether it would execute a commit.
    func sendHeartbeat() {
        let now = ContinuousClock.now
        guard now >= nextHeartbeat else { return }
        nextHeartbeat = now + connection.heartbeatInterval
        // One at a time, because a WAIT for missing replicas takes longer than the interval.
        let scripts = connection.scripts.withLock(\.self)
        guard socket != nil, !isBeating, let open = scripts[.open], let probe = scripts[.probe] else { return }
        isBeating = true
        let settings = connection.settings
        if lease == nil {
            append(renewal(.renew, settings.life, open)) { loop, result in
                switch result.map(RedisLease.init) {
                case .success(.opened(let opened)): loop.take(opened)
                case .success(.held), .success(.taken): loop.loseLease()
                case .success: loop.disconnect("it does not answer as expected")
                case .failure(let error): loop.disconnect(error.detail)
                }
            }
        } else {
            sendLeaseRequest(open)
        }
        // The server refuses this as long as it would refuse commits.
        append(RedisCommand(evaluating: probe, settings.tag, "", [])) { loop, result in
            guard case .success = result, !loop.pipeline.lacksReplicas else { return }
            if loop.connection.isRefusing.exchange(false, ordering: .relaxed) { loop.reportRecovery() }
        }
        append(RedisFacts.query) { loop, result in
            loop.isBeating = false
            let problem: String? =
                switch result {
                case .success(let reply): RedisFacts.problem(RedisFacts.settings(reply), isRelaxed: settings.isRelaxed)
                case .failure(let error): error.detail
                }
            if let problem { loop.disconnect(problem) }
        }
    }

    private func take(_ opened: RedisLease.Opened) {
        if opened.hasLost { return disconnect("its data have changed") }
        connection.live.store(opened.sessions, ordering: .relaxed)
    }

    private func renewal(_ mode: RedisLease.Mode, _ life: Int, _ open: [UInt8]) -> RedisCommand {
        let (settings, known) = (connection.settings, connection.acknowledged.load(ordering: .relaxed))
        let arguments = RedisLease.arguments(settings, mode, life: life, known: known, runID: runID, check: [])
        return RedisCommand(evaluating: open, settings.tag, "", arguments)
    }

    /// Sends what the lease of a node needs now.
    private func sendLeaseRequest(_ open: [UInt8]) {
        guard let request = lease?.nextRequest(now: connection.membership.now) else { return }
        let (mode, life): (RedisLease.Mode, NodeLife)
        switch request.command {
        case .register:
            (mode, life) = (
                .register, NodeLife(number: RedisSettings.randomLife(), address: connection.settings.node ?? "")
            )
        case .renew(let current): (mode, life) = (.renew, current)
        // It is sent when the connection is closed.
        case .leave: return
        }
        // Replicas must have it, else another node could claim the sessions after a failover.
        append(renewal(mode, life.number, open), .lease, deadline: .now + RedisConnection.timeout) { loop, result in
            switch result.map(RedisLease.init) {
            case .success(.opened(let opened)):
                loop.take(.granted(life), to: request)
                loop.take(opened)
            case .success(.forgotten): loop.take(.forgotten, to: request)
            case .success(.held): loop.disconnect("another process uses it alone")
            // Without an answer the lease ends.
            case .success, .failure: break
            }
        }
    }

    private func take(_ answer: NodeLease.Answer, to request: NodeLease.Request) {
        guard var lease else { return }
        let change = lease.take(answer, to: request, now: connection.membership.now)
        self.lease = lease
        connection.membership.take(lease)
        if case .ended = change, let open = connection.scripts.withLock({ $0[.open] }) { sendLeaseRequest(open) }
    }

    /// Adds a command of the connection itself.
    private func append(
        _ command: RedisCommand, _ kind: RedisRequest.Kind = .heartbeat, deadline: ContinuousClock.Instant? = nil,
        _ done: @escaping @Sendable (RedisLoop, Result<RedisReply, JournalError>) -> Void
    ) {
        let request = RedisRequest(
            kind, byteCount: 0, deadline: deadline, encode: { command.bytes },
            done: { [weak self] result in
                if let self { done(self, result) }
            })
        pipeline.append(request)
    }
}
