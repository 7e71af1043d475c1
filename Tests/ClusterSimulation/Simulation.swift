import Cluster

/// Many nodes, one Redis and their clients, driven by one scheduler. The same seed gives the same run.
///
/// Messages are lost, late and sent twice; nodes are killed, stopped for longer than their leases, drained, and cut off; clocks
/// drift and are set; Redis stops, restarts and is replaced by its replica. After each step the audit compares the
/// answers of nodes with the data in Redis.
package final class Simulation {
    package struct Settings: Sendable {
        package let seed: UInt64
        let nodeCount: Int
        let sessionCount: Int
        /// Milliseconds.
        let lease: Int
        let rules: Rules

        package init(seed: UInt64, nodeCount: Int, sessionCount: Int, lease: Int = 2000, rules: Rules = Rules()) {
            self.seed = seed
            self.nodeCount = nodeCount
            self.sessionCount = sessionCount
            self.lease = lease
            self.rules = rules
        }

        /// Every seed has its own size: a few nodes mostly, up to 1000 nodes and 100 000 sessions.
        package init(seed: UInt64, rules: Rules = Rules()) {
            let sizes = [(2, 10), (3, 20), (3, 200), (4, 100), (5, 1000), (10, 300), (40, 2000), (1000, 100_000)]
            let (nodes, sessions) = sizes[Int(seed % UInt64(sizes.count))]
            let lease = nodes > 10 ? 2000 : 800
            self.init(seed: seed, nodeCount: nodes, sessionCount: sessions, lease: lease, rules: rules)
        }
    }

    /// Of a client that waits for an answer.
    struct ClientRequest {
        let session: Int
        let operation: Operation
        /// How often it was answered without a result.
        var attempts = 0
        /// When it was sent for the first time, and until when the session has to answer; nil if that is open.
        var probe: (start: Int, bound: Int, what: String)?
    }

    struct ClientStream {
        let session: Int
        /// The newest revision that was received; nil before the first.
        var seen: Int?
        var connection = 0
        var remaining: Int
    }

    let settings: Settings
    var random: SeededRandom
    var queue = EventQueue()
    private(set) var now = 0
    private(set) var steps = 0
    var nodes: [SimulatedNode] = []
    var redis: SimulatedRedis
    var audit: Audit
    private(set) var violation: Violation?
    /// Whether faults happen.
    var isFaulty = true
    var isLoaded = true
    var clients: [Int: ClientRequest] = [:]
    var streams: [Int: ClientStream] = [:]
    var drainedSessions: [(node: Int, sessions: [Int])] = []
    private var count = 0
    var isReplicating = false
    /// Until when the replica gets nothing.
    var replicationStall = 0

    package init(_ settings: Settings) {
        self.settings = settings
        random = SeededRandom(seed: settings.seed)
        redis = SimulatedRedis(sessionCount: settings.sessionCount, lease: settings.lease, settings.rules)
        audit = Audit(sessionCount: settings.sessionCount)
        for index in 0..<settings.nodeCount {
            nodes.append(SimulatedNode(index, self))
            queue.add(.restart(index), at: random.below(100))
        }
        queue.add(.load, at: 200)
        queue.add(.fault, at: 1000)
    }

    var terms: NodeLease.Terms {
        NodeLease.Terms(duration: settings.lease, margin: settings.rules.leaseHasMargin ? nil : 0)
    }

    /// By how many thousandths a clock is faster or slower than that of Redis, at most.
    var maxDrift: Int { 80 }

    /// How often a node looks for sessions whose timers are due.
    var dueInterval: Int { settings.lease / 4 + 20 * settings.nodeCount }

    func nextNumber() -> Int {
        count += 1
        return count
    }

    func nextEffect() -> Int { nextNumber() }

    /// Runs with faults, then without, and checks that everything works again.
    package func run(steps limit: Int) throws(Violation) -> Summary {
        while steps < limit { try step() }
        try recover()
        return Summary(self)
    }

    func run(until time: Int) throws(Violation) {
        while now < time { try step() }
    }

    private func step() throws(Violation) {
        guard let (time, number, event) = queue.removeFirst() else {
            throw Violation(description: "nothing happens any more")
        }
        now = max(now, time)
        steps += 1
        handle(event, number)
        if let violation {
            throw Violation(description: "seed \(settings.seed), step \(steps): \(violation.description)")
        }
    }

    func check(_ body: (inout Audit) throws(Violation) -> Void) {
        do throws(Violation) {
            try body(&audit)
        } catch {
            violation = violation ?? error
        }
    }

    private func handle(_ event: Event, _ number: Int) {
        switch event {
        case .redisReceives(let node, let command, let context): redisReceives(node, command, context)
        case .nodeReceivesAnswer(let run, let answer, let context):
            if let node = ready(run, event, number) { node.receive(answer, context) }
        case .nodeReceives(let run, let message):
            if let node = ready(run, event, number) { node.receive(message) } else { bounce(run, message) }
        case .timer(let run, let timer): if let node = ready(run, event, number) { node.receive(timer) }
        case .clientReceives(let id, let outcome): clientReceives(id, outcome)
        case .streamReceives(let id, let connection, let revision): streamReceives(id, connection, revision)
        case .streamEnds(let id, let connection): streamEnds(id, connection)
        case .replicate: replicate()
        case .load: load()
        case .fault: fault()
        case .restart(let index): if !nodes[index].isUp { nodes[index].start() }
        case .redisContinues(let interruption):
            guard interruption == redis.interruptions else { return }
            for (node, command, context) in redis.continue() { redisReceives(node, command, context) }
            scheduleReplication()
        case .failOver: if isFaulty { failOver() }
        case .retry(let id): if let client = clients[id] { ask(id, client) }
        case .reconnect(let id): connect(id)
        }
    }

    /// The node, if this run of it is up and not paused. An event for a paused node waits.
    private func ready(_ run: NodeRun, _ event: Event, _ number: Int) -> SimulatedNode? {
        let node = nodes[run.index]
        guard node.run == run, node.isUp else { return nil }
        guard node.pausedUntil <= now else {
            queue.postpone(event, number, to: node.pausedUntil)
            return nil
        }
        return node
    }

    // MARK: Redis

    func send(_ command: RedisCommand, _ context: CommandContext, from node: SimulatedNode) {
        if node.isCutFromRedis || isLost() {
            // A command that is lost for the node may have been on its way. A late renewal would only make its lease
            // longer.
            if case .lease = command { return }
            guard random.chance(300) else { return }
            return queue.add(.redisReceives(node.run, command, context), at: now + random.below(2 * settings.lease))
        }
        queue.add(.redisReceives(node.run, command, context), at: now + delay())
    }

    private func redisReceives(_ node: NodeRun, _ command: RedisCommand, _ context: CommandContext) {
        let session: Int? =
            switch command {
            case .claim(let id, _), .append(let id, _, _, _, _, _), .release(let id, _, _): id
            case .lease, .create, .end, .findDue: nil
            }
        let before = redis.isAvailable ? session.map { Audit.Before(redis.model.sessions[$0]) } : nil
        let answer = redis.receive(node, command, context, now: now)
        if let before {
            let model = redis.model
            check { audit throws(Violation) in
                try audit.executed(command, on: before, model)
                if case .claim(let id, let incarnation) = command, model.sessions[id].owner == incarnation,
                    before.owner != incarnation
                {
                    try requireNoOwner(of: id, incarnation: before.owner)
                }
            }
        }
        if let answer { self.answer(node, answer, context) }
        scheduleReplication()
    }

    /// Another node has claimed a session: its owner before must not answer a request that it gets now.
    private func requireNoOwner(of id: Int, incarnation: Int) throws(Violation) {
        guard let node = nodes.first(where: { $0.lease.incarnation?.number == incarnation }), node.isUp,
            node.holdsLease,
            node.sessions[id] != nil
        else { return }
        throw Violation(
            description: "session \(id) was claimed, and incarnation \(incarnation) may still answer for it")
    }

    private func scheduleReplication() {
        guard redis.lags, redis.isAvailable, !isReplicating else { return }
        isReplicating = true
        let lag = isFaulty && random.chance(5) ? random.below(settings.lease / 4) : random.below(3)
        queue.add(.replicate, at: max(now + lag, isFaulty ? replicationStall : 0))
    }

    private func replicate() {
        isReplicating = false
        guard !isFaulty || now >= replicationStall else { return scheduleReplication() }
        for (node, answer, context) in redis.replicate() { self.answer(node, answer, context) }
        scheduleReplication()
    }

    private func answer(_ run: NodeRun, _ answer: RedisAnswer, _ context: CommandContext) {
        guard !nodes[run.index].isCutFromRedis, !isLost() else { return }
        queue.add(.nodeReceivesAnswer(run, answer, context), at: now + delay())
    }

    // MARK: The network

    /// Mostly a millisecond or two, sometimes very long.
    func delay() -> Int {
        guard isFaulty, random.chance(5) else { return random.below(3) }
        return random.below(settings.lease * 2)
    }

    func isLost() -> Bool { isFaulty && random.chance(3) }

    /// Sends a message to another node.
    ///
    /// - Parameter request: to be told if the connection breaks.
    func send(_ message: NodeMessage, from node: SimulatedNode, to address: String, about request: RemoteRequest?) {
        guard let index = Int(address.dropFirst()) else { return }
        let target = nodes[index]
        guard !node.isCutFromNodes, !target.isCutFromNodes, !isLost() else {
            if let request, !random.chance(500) { breakConnection(request) }
            return
        }
        queue.add(.nodeReceives(target.run, message), at: now + delay())
    }

    private func breakConnection(_ request: RemoteRequest, _ outcome: Outcome = .broken) {
        queue.add(.nodeReceives(request.node, .answer(request, outcome)), at: now + delay())
    }

    /// The run of the node that a message was sent to has ended. The sender may think that it has arrived.
    private func bounce(_ run: NodeRun, _ message: NodeMessage) {
        let node = nodes[run.index]
        guard !node.isUp || node.run != run, case .request(let remote, _, _, _, _) = message else { return }
        if !isFaulty || random.chance(800) { breakConnection(remote, random.chance(500) ? .notSent : .broken) }
    }

    /// A node was killed.
    func disconnect(_ request: SimulatedNode.Request, of run: NodeRun) {
        switch request.origin {
        case .client(let id): queue.add(.clientReceives(id, .broken), at: now + delay())
        case .stream(let id, let connection): queue.add(.streamEnds(id, connection: connection), at: now + delay())
        case .node(let remote): if !isFaulty || random.chance(800) { breakConnection(remote) }
        case .own: break
        }
    }

    /// A node answers.
    func respond(to request: SimulatedNode.Request, _ outcome: Outcome, from node: SimulatedNode) {
        switch request.origin {
        case .client(let id):
            tell(id, outcome)
            queue.add(.clientReceives(id, outcome), at: now + delay())
        case .stream(let id, let connection):
            queue.add(.streamEnds(id, connection: connection), at: max(request.lastArrival, now + delay()))
        case .node(let remote):
            guard !node.isCutFromNodes, !nodes[remote.node.index].isCutFromNodes, !isLost() else {
                return breakConnection(remote)
            }
            queue.add(.nodeReceives(remote.node, .answer(remote, outcome)), at: max(request.lastArrival, now + delay()))
        case .own: break
        }
    }

    /// Checks the answer to a client whose write was not committed.
    private func tell(_ id: Int, _ outcome: Outcome) {
        guard let client = clients[id], case .write(let write, let key, _, _) = client.operation else { return }
        guard outcome == .unavailable || outcome == .unknown else { return }
        check { audit throws(Violation) in
            try audit.refuse(
                write, of: client.session, isKnown: outcome == .unavailable, isFirst: client.attempts == 0,
                willRepeat: key != 0)
        }
    }

    /// Brings a commit to a stream, in the order of the commits.
    ///
    /// - Returns: whether the stream still has a reader.
    @discardableResult
    func relay(_ revision: Int, to request: inout SimulatedNode.Request, from node: SimulatedNode, id: Int) -> Bool {
        let arrival = max(request.lastArrival, now + delay())
        request.lastArrival = arrival
        switch request.origin {
        case .stream(let stream, let connection):
            queue.add(.streamReceives(stream, connection: connection, revision: revision), at: arrival)
        case .node(let remote):
            guard !node.isCutFromNodes, !nodes[remote.node.index].isCutFromNodes, !isLost() else {
                queue.add(.nodeReceives(remote.node, .answer(remote, .broken)), at: arrival)
                return false
            }
            let message = NodeMessage.event(remote, from: node.run, request: id, revision: revision)
            queue.add(.nodeReceives(remote.node, message), at: arrival)
        case .client, .own: return false
        }
        return true
    }
}
