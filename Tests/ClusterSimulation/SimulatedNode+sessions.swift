import Cluster

// The work of a node on the sessions that it owns.
extension SimulatedNode {
    func receive(_ answer: RedisAnswer, _ context: CommandContext) {
        switch (context, answer) {
        case (.lease(let request), .lease(let answer)): take(answer, to: request)
        case (.claim(let claim), _): take(answer, for: claim)
        case (.append(let id, let epoch, let sequence), _): take(answer, toAppend: id, epoch, sequence)
        case (.release(let id, let epoch), _): take(answer, toRelease: id, epoch)
        case (.findDue, .due(let due)):
            for id in due
            where directory.place(of: id) == .unknown && directory.epoch(of: id) == nil && !directory.isClaiming(id) {
                receive(id, .wake, .own, hops: 0, remaining: world.settings.lease)
            }
        default: break
        }
    }

    // MARK: Claims

    private func take(_ answer: RedisAnswer, for claim: SessionDirectory<Int>.Claim) {
        switch answer {
        case .claimed(let stored):
            guard directory.take(.claimed(epoch: stored.epoch), for: claim) else { return }
            hold(Held(claim.id, stored))
            wake(claim.id)
        case .owned(let owner):
            if directory.take(.owned(by: owner), for: claim) { wake(claim.id) }
        case .nothing:
            guard directory.take(.nothing, for: claim) else { return }
            for request in waiting.removeValue(forKey: claim.id) ?? [] { respond(request, .ended) }
        default: failClaim(claim)
        }
    }

    private func failClaim(_ claim: SessionDirectory<Int>.Claim) {
        guard directory.take(.failed, for: claim) else { return }
        for request in waiting.removeValue(forKey: claim.id) ?? [] { fail(request, .unavailable) }
    }

    func retry(_ claim: SessionDirectory<Int>.Claim, _ since: Int) {
        guard directory.isCurrent(claim) else { return }
        if now - since > waitTimeout { return failClaim(claim) }
        send(.claim(claim.id, incarnation: claim.incarnation.number), .claim(claim))
        after(waitTimeout / 4, .claim(claim, since: since))
    }

    func wake(_ id: Int) {
        for request in waiting.removeValue(forKey: id) ?? [] { proceed(request) }
    }

    func wakeAll() {
        for id in waiting.keys.sorted() { wake(id) }
    }

    private func hold(_ held: Held) {
        sessions[held.id] = held
        if rules.claimInterruptsEffects {
            for effect in held.stored.runningEffects { held.queue.append((.settle(effect: effect), nil)) }
        }
        armTimer(held)
        advance(held)
    }

    private func armTimer(_ held: Held) {
        guard let deadline = held.stored.deadline else { return }
        after(max(0, deadline - world.now), .deadline(held.id, epoch: held.stored.epoch))
    }

    /// The node does not own a session any more, or does not know its state in Redis.
    func drop(_ held: Held) {
        _ = directory.lose(held.id, epoch: held.stored.epoch)
        sessions[held.id] = nil
        stalled.remove(held.id)
        if held.append != nil { appendCount -= 1 }
        if let request = held.append?.request { fail(request, .unknown) }
        for item in held.queue { if let request = item.request { fail(request, .notHere) } }
        for stream in held.streams { respond(stream, .broken) }
        if held.handover.isClosed { wake(held.id) }
    }

    func loseAll() {
        let lost = allHeld
        _ = directory.end()
        for held in lost { drop(held) }
        wakeAll()
    }

    // MARK: Work

    /// Performs the queued operations, one after the other.
    func advance(_ held: Held) {
        while held.append == nil, sessions[held.id] === held, !held.queue.isEmpty {
            guard holdsLease else { return stall(held) }
            let (operation, request) = held.queue.removeFirst()
            perform(operation, request, held)
        }
    }

    private func stall(_ held: Held) {
        let queue = held.queue
        held.queue = queue.filter { $0.request == nil }
        if !held.queue.isEmpty { stalled.insert(held.id) }
        for item in queue { if let request = item.request { fail(request, .notHere) } }
    }

    private func perform(_ operation: Operation, _ request: Int?, _ held: Held) {
        let stored = held.stored
        switch operation {
        case .read, .wake:
            guard let request, requests[request] != nil else { return }
            let revision = stored.log.count
            world.check { audit throws(Violation) in
                try audit.read(held.id, at: revision, incarnation: lease.incarnation?.number, inRedis(held))
            }
            respond(request, .done(revision: revision))
        case .stream(let after): if let request { open(request, after: after, held) }
        case .write(let write, let key, let effect, let timer):
            if key != 0, let revision = stored.keys[key] {
                acknowledge(write, at: revision, request, held)
            } else {
                let entry = Entry(
                    kind: .write(write), key: key, effect: effect ? world.nextEffect() : 0,
                    deadline: timer ? world.now + world.random.within(1...world.settings.lease) : nil)
                append(operation, entry, request, held)
            }
        case .settle(let effect):
            if stored.runningEffects.contains(effect) {
                append(operation, Entry(kind: .settled(effect: effect)), nil, held)
            }
        case .fireTimer:
            guard let deadline = stored.deadline else { return }
            if deadline <= world.now { append(operation, Entry(kind: .timer), nil, held) } else { armTimer(held) }
        case .end: append(operation, nil, request, held)
        }
    }

    /// The session as Redis has it now, which no node can know.
    private func inRedis(_ held: Held) -> StoredSession { world.redis.model.sessions[held.id] }

    private func acknowledge(_ write: Int, at revision: Int, _ request: Int?, _ held: Held) {
        guard let request, requests[request] != nil else { return }
        world.check { audit throws(Violation) in
            try audit.acknowledge(
                write, of: held.id, at: revision, incarnation: lease.incarnation?.number, inRedis(held))
        }
        respond(request, .done(revision: revision))
    }

    // MARK: Commits

    private func append(_ operation: Operation, _ entry: Entry?, _ request: Int?, _ held: Held) {
        held.append = Held.Append(
            operation: operation, request: request, entry: entry, sequence: held.stored.sequence + 1)
        appendCount += 1
        sendAppend(held)
        // The connection is lost at once, and the commit sent again on the next one.
        if world.isFaulty, world.random.chance(10) { sendAppend(held) }
        after(
            waitTimeout / 6,
            .append(held.id, epoch: held.stored.epoch, sequence: held.stored.sequence + 1, since: now))
    }

    private func sendAppend(_ held: Held) {
        guard let append = held.append, let incarnation = lease.incarnation else { return }
        held.append?.attempts += 1
        let (epoch, sequence) = (held.stored.epoch, append.sequence)
        let command: RedisCommand =
            if let entry = append.entry {
                .append(
                    held.id, incarnation: incarnation.number, epoch: epoch, sequence: sequence,
                    revision: held.stored.log.count,
                    entry)
            } else {
                .end(held.id, incarnation: incarnation.number, epoch: epoch)
            }
        send(command, .append(held.id, epoch: epoch, sequence: sequence))
    }

    func retryAppend(_ id: Int, _ epoch: Int, _ sequence: Int, _ since: Int) {
        guard let held = sessions[id], held.stored.epoch == epoch, held.append?.sequence == sequence else { return }
        guard now - since > waitTimeout else {
            sendAppend(held)
            return after(waitTimeout / 6, .append(id, epoch: epoch, sequence: sequence, since: since))
        }
        if !rules.unansweredCommitIsUnknown, let request = held.append?.request {
            held.append = nil
            appendCount -= 1
            fail(request, .unavailable)
        }
        drop(held)
    }

    private func take(_ answer: RedisAnswer, toAppend id: Int, _ epoch: Int, _ sequence: Int) {
        guard let held = sessions[id], held.stored.epoch == epoch, let append = held.append,
            append.sequence == sequence
        else { return }
        if case .done = answer { return finish(append, held) }
        // If it was sent once, it was not executed. If not, another copy may have been.
        if append.attempts == 1 {
            held.append = nil
            appendCount -= 1
            if let request = append.request { fail(request, .notHere) }
        }
        drop(held)
    }

    private func finish(_ append: Held.Append, _ held: Held) {
        held.append = nil
        appendCount -= 1
        guard let entry = append.entry else { return finishEnd(append, held) }
        held.stored.append(entry, sequence: append.sequence, storesKey: true)
        let epoch = held.stored.epoch
        if entry.effect != 0 {
            after(world.random.within(1...world.settings.lease), .effect(held.id, epoch: epoch, effect: entry.effect))
        }
        if entry.deadline != nil { armTimer(held) }
        if holdsLease {
            if case .write(let write) = entry.kind {
                acknowledge(write, at: held.stored.log.count, append.request, held)
            }
            show(held.stored.log.count, held)
        } else {
            if let request = append.request { fail(request, .unknown) }
            let streams = held.streams
            held.streams = []
            for stream in streams { respond(stream, .broken) }
        }
        advance(held)
    }

    private func finishEnd(_ append: Held.Append, _ held: Held) {
        world.check { audit throws(Violation) in try audit.acknowledgeEnd(of: held.id, inRedis(held)) }
        if let request = append.request { respond(request, .done(revision: held.stored.log.count)) }
        let streams = held.streams
        held.streams = []
        for stream in streams { respond(stream, .ended) }
        drop(held)
    }

    // MARK: Streams

    private func open(_ id: Int, after revision: Int?, _ held: Held) {
        guard requests[id] != nil else { return }
        requests[id]?.hasBegun = true
        held.streams.append(id)
        endUse(of: id)
        let newest = held.stored.log.count
        let first = revision.map { $0 + 1 } ?? newest
        for revision in first..<max(first, newest + 1) { show(revision, held, to: id) }
    }

    private func show(_ revision: Int, _ held: Held) {
        for stream in held.streams { show(revision, held, to: stream) }
    }

    private func show(_ revision: Int, _ held: Held, to stream: Int) {
        guard var request = requests[stream] else { return }
        world.check { audit throws(Violation) in
            try audit.show(
                held.id, revision, incarnation: lease.incarnation?.number, inRedis(held))
        }
        if world.relay(revision, to: &request, from: self, id: stream) {
            requests[stream] = request
        } else {
            requests[stream] = nil
            held.streams.removeAll { $0 == stream }
        }
    }
}
