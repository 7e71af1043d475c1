import Cluster

// The simulated clients.
extension Simulation {
    /// How long a node tries, in milliseconds.
    private var waitTimeout: Int { 2 * settings.lease }

    /// Sends something new.
    func load() {
        guard isLoaded else { return }
        queue.add(.load, at: now + random.below(5))
        let session = randomSession()
        switch random.below(1000) {
        case ..<400: ask(session, .read)
        case ..<960:
            let number = nextNumber()
            let write = Operation.write(
                number, key: random.chance(400) ? number : 0, effect: random.chance(100), timer: random.chance(30))
            ask(session, write)
        // Few sessions end, so that work is left.
        case ..<962: if session.isMultiple(of: 8) { ask(session, .end) }
        default:
            let id = nextNumber()
            streams[id] = ClientStream(session: session, remaining: random.within(1...50))
            connect(id)
        }
    }

    /// Half of the work is done in a few sessions, which change.
    private func randomSession() -> Int {
        guard random.chance(700) else { return random.below(settings.sessionCount) }
        return (now / (4 * settings.lease) * 8 + random.below(8)) * 7919 % settings.sessionCount
    }

    func ask(_ session: Int, _ operation: Operation, probe: (start: Int, bound: Int, what: String)? = nil) {
        let id = nextNumber()
        let client = ClientRequest(session: session, operation: operation, probe: probe)
        clients[id] = client
        ask(id, client)
    }

    func ask(_ id: Int, _ client: ClientRequest) {
        guard let node = anyNode(for: client.session) else { return queue.add(.retry(id), at: now + 50) }
        node.receive(client.session, client.operation, .client(id), hops: 0, remaining: waitTimeout)
    }

    /// A node that takes connections. The load balancer mostly hashes the session, and changes the nodes now and then.
    private func anyNode(for session: Int) -> SimulatedNode? {
        let hashed = (session + now / (20 * settings.lease)) % nodes.count
        for attempt in 0..<8 {
            let isHashed = attempt == 0 && random.chance(700)
            let node = nodes[isHashed ? hashed : random.below(nodes.count)]
            if node.isUp, node.pausedUntil <= now, !node.directory.isDraining { return node }
        }
        return nil
    }

    func clientReceives(_ id: Int, _ outcome: Outcome) {
        guard let client = clients[id] else { return }
        switch outcome {
        case .done, .ended:
            clients[id] = nil
            if let probe = client.probe, now - probe.start > probe.bound {
                check { _ throws(Violation) in
                    throw Violation(
                        description: "session \(client.session) answered \(now - probe.start) ms after \(probe.what)")
                }
            }
        default:
            clients[id]?.attempts += 1
            let repeats = client.probe != nil || client.operation.key != 0
            if repeats { queue.add(.retry(id), at: now + random.within(1...50)) } else { clients[id] = nil }
        }
    }

    // MARK: Streams

    func connect(_ id: Int) {
        guard let stream = streams[id] else { return }
        guard isLoaded, let node = anyNode(for: stream.session) else {
            if isLoaded { queue.add(.reconnect(id), at: now + 50) } else { streams[id] = nil }
            return
        }
        streams[id]?.connection += 1
        node.receive(
            stream.session, .stream(after: stream.seen), .stream(id, connection: stream.connection + 1), hops: 0,
            remaining: waitTimeout)
    }

    func streamReceives(_ id: Int, _ connection: Int, _ revision: Int) {
        guard let stream = streams[id], stream.connection == connection else { return }
        if let seen = stream.seen, revision != seen + 1 {
            check { _ throws(Violation) in
                throw Violation(
                    description: "a stream of session \(stream.session) shows \(revision) after \(seen)")
            }
        }
        streams[id]?.seen = revision
        streams[id]?.remaining -= 1
        if stream.remaining <= 1 { streams[id] = nil }
    }

    func streamEnds(_ id: Int, _ connection: Int) {
        guard let stream = streams[id], stream.connection == connection else { return }
        if redis.model.sessions[stream.session].hasEnded {
            streams[id] = nil
        } else {
            queue.add(.reconnect(id), at: now + random.within(1...100))
        }
    }
}
