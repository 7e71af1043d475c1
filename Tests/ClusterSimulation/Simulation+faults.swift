import Cluster

// The faults, and the checks after their end.
extension Simulation {
    /// Something breaks.
    func fault() {
        guard isFaulty else { return }
        let lease = settings.lease
        // Minutes are quiet, and minutes are not. The more nodes there are, the more often one of them fails.
        let isQuiet = now / (10 * lease) % 3 == 2
        queue.add(.fault, at: now + random.within(1...max(20, (isQuiet ? 30 : 6) * lease / max(3, nodes.count))))
        let node = nodes[random.below(nodes.count)]
        switch random.below(100) {
        case ..<15: if node.isUp { node.kill() }
        case ..<40: if node.isUp { node.pausedUntil = max(node.pausedUntil, now + random.within(1...3 * lease)) }
        case ..<50: if node.isUp, node.pausedUntil <= now { node.drain() }
        case ..<65:
            node.cutFromRedisUntil = now + random.within(1...3 * lease)
            if random.chance(300) { node.wallOffset -= random.below(2 * lease) }
        case ..<70: node.cutFromNodesUntil = now + random.within(1...3 * lease)
        case ..<80:
            // Only its clients still reach it.
            node.cutFromRedisUntil = now + random.within(1...3 * lease)
            node.cutFromNodesUntil = node.cutFromRedisUntil
        case ..<85: node.wallOffset += random.within(-2 * lease...2 * lease)
        default: if redis.isAvailable, random.chance(max(50, 2500 / nodes.count)) { interruptRedis() }
        }
    }

    private func interruptRedis() {
        let lease = settings.lease
        switch random.below(4) {
        case 0: redis.stop()
        case 1: redis.kill()
        default:
            // The replica is cut off before it takes over.
            replicationStall = now + 3 * lease
            return queue.add(.failOver, at: now + random.below(3 * lease))
        }
        queue.add(.redisContinues(redis.interruptions), at: now + random.within(1...2 * lease))
    }

    func failOver() {
        let lost = redis.failOver()
        let model = redis.model
        check { audit throws(Violation) in
            try audit.failedOver(lost, model)
            for node in nodes where node.isUp && node.holdsLease { try requireKnown(node, model) }
        }
        (replicationStall, isReplicating) = (0, false)
        queue.add(.redisContinues(redis.interruptions), at: now + random.within(1...settings.lease / 2))
    }

    /// The new primary must know a node that may answer, and its sessions.
    private func requireKnown(_ node: SimulatedNode, _ model: RedisModel) throws(Violation) {
        let incarnation = node.lease.incarnation?.number ?? 0
        guard model.isAlive(incarnation, now) else {
            throw Violation(
                description: "incarnation \(incarnation) holds its lease, and the new primary does not know it")
        }
        for (id, held) in node.sessions where model.sessions[id].owner != incarnation {
            throw Violation(
                description:
                    "incarnation \(incarnation) may answer for session \(id) with epoch \(held.stored.epoch), and the new "
                    + "primary does not know that")
        }
    }

    func restart(_ node: SimulatedNode) {
        let delay = isFaulty ? random.within(1...2 * settings.lease) : 100
        queue.add(.restart(node.index), at: now + delay)
    }

    /// A node has given back its sessions.
    func drained(_ node: SimulatedNode, _ sessions: [Int]) {
        if !isFaulty { drainedSessions.append((node.index, sessions)) }
    }

    // MARK: Recovery

    /// Ends all faults, and checks that every session answers, every effect settles, and every timer fires.
    func recover() throws(Violation) {
        isFaulty = false
        isLoaded = false
        if !redis.isAvailable { queue.add(.redisContinues(redis.interruptions), at: now) }
        // Delayed messages arrive, nodes start, leases end, and timers fire that nobody asks for.
        try run(until: now + 8 * settings.lease + 2 * dueInterval)
        try checkTimers()
        try drainNodes()
        try killNode()
        try readAll()
        try run(until: now + 2 * settings.lease)
        try checkRest()
    }

    private func probe(_ sessions: some Sequence<Int>, bound: Int, _ what: String) {
        for session in sessions { ask(session, .read, probe: (now, bound, what)) }
    }

    /// A drain gives sessions back at once, not when the lease ends.
    private func drainNodes() throws(Violation) {
        // A node that was just drained is not there.
        for node in nodes.prefix(3) where node.isUp && nodes.count > 1 {
            probe(node.directory.owned.isEmpty ? [node.index % settings.sessionCount] : [], bound: settings.lease, "")
            node.drain()
            let limit = now + 3 * settings.lease
            while !drainedSessions.contains(where: { $0.node == node.index }), now < limit { try run(until: now + 1) }
            try run(until: now + 10)
            let sessions = drainedSessions.last?.sessions ?? []
            probe(sessions.sorted().prefix(50), bound: settings.lease / 4, "a drain")
            try run(until: now + settings.lease)
        }
    }

    /// The sessions of a node that was killed answer once its lease has ended.
    private func killNode() throws(Violation) {
        guard nodes.count > 1, let node = nodes.last, node.isUp else { return }
        let sessions = node.directory.owned.sorted().prefix(50)
        node.kill()
        probe(sessions, bound: settings.lease + 500, "its owner was killed")
        try run(until: now + 2 * settings.lease)
    }

    private func readAll() throws(Violation) {
        for start in stride(from: 0, to: settings.sessionCount, by: 1000) {
            probe(start..<min(settings.sessionCount, start + 1000), bound: settings.lease / 2, "the faults have ended")
            try run(until: now + 50)
        }
    }

    private func checkTimers() throws(Violation) {
        if let (id, _) = redis.model.deadlines.min(by: { $0.key < $1.key }) {
            throw Violation(description: "seed \(settings.seed): the timer of session \(id) does not fire")
        }
    }

    private func checkRest() throws(Violation) {
        if let client = clients.values.min(by: { $0.session < $1.session }) {
            throw Violation(description: "seed \(settings.seed): session \(client.session) does not answer")
        }
        for (id, session) in redis.model.sessions.enumerated() where !session.hasEnded {
            guard session.runningEffects.isEmpty else {
                throw Violation(description: "seed \(settings.seed): an effect of session \(id) does not settle")
            }
        }
    }
}

extension Simulation {
    /// The counts of a simulation that has run.
    package struct Summary: CustomStringConvertible, Sendable {
        package let steps: Int
        package let acknowledgedWrites: Int
        package let takeovers: Int
        package let handovers: Int
        package let description: String

        init(_ simulation: Simulation) {
            let audit = simulation.audit
            steps = simulation.steps
            acknowledgedWrites = audit.acknowledgedWrites
            takeovers = audit.takeovers
            handovers = audit.handovers
            description =
                "\(simulation.steps) steps in \(simulation.now / 1000) s: \(audit.acknowledgedWrites) writes acknowledged, "
                + "\(audit.refusedWrites) refused, \(audit.unknownWrites) unknown, \(audit.answeredReads) reads, "
                + "\(audit.events) events, \(audit.takeovers) takeovers, \(audit.handovers) handovers"
        }
    }
}
