import Cluster

// Sessions follow the nodes that forward the requests for them.
extension SimulatedNode {
    /// After so many requests of one node.
    private static let requestLimit = 4

    /// Takes a request for a session that the node owns.
    func admit(_ id: Int, _ request: Request, _ held: Held) {
        let sender: UInt16? =
            switch request.origin {
            case .client, .stream: 0
            case .node(let remote): UInt16(remote.node.index + 1)
            case .own: nil
            }
        let admission = held.handover.begin(from: sender, limit: Self.requestLimit)
        switch admission {
        case .serve, .serveAndWake:
            requests[id]?.used = held
            held.queue.append((request.operation, id))
            if admission == .serveAndWake { wake(held.id) }
            advance(held)
        case .prepare, .release, .wait: makeWait(id, admission, held)
        case .lookUpAgain: break
        }
    }

    private func makeWait(_ id: Int, _ admission: SessionHandover.Admission, _ held: Held) {
        waiting[held.id, default: []].append(id)
        let epoch = held.stored.epoch
        if admission == .prepare { after(20, .giveUp(held.id, epoch: epoch)) }
        if admission == .release || admission == .prepare && !rules.releaseWaitsForCommits {
            handOver(held.id, epoch)
        }
    }

    /// A request has nothing more to do with its session.
    func endUse(of id: Int) {
        guard let held = requests[id]?.used else { return }
        requests[id]?.used = nil
        // Later, because the node still has to do with the request.
        if held.handover.end() { after(0, .handOver(held.id, epoch: held.stored.epoch)) }
    }

    private func held(_ id: Int, _ epoch: Int) -> Held? {
        sessions[id].flatMap { $0.stored.epoch == epoch ? $0 : nil }
    }

    func giveUpHandover(_ id: Int, _ epoch: Int) {
        if held(id, epoch)?.handover.giveUp() == true { wake(id) }
    }

    func handOver(_ id: Int, _ epoch: Int) {
        guard let held = held(id, epoch) else { return }
        guard isQuiet(held), let incarnation = lease.incarnation else {
            held.handover.abort()
            return wake(id)
        }
        if rules.releasedSessionsAreDropped {
            // Nobody is taken to wait for it.
            if let request = held.append.take()?.request {
                appendCount -= 1
                fail(request, .notHere)
            }
            held.handover.leave()
            drop(held)
            directory.release(id, epoch: epoch)
        }
        send(.release(id, incarnation: incarnation.number, epoch: epoch), .release(id, epoch: epoch))
        after(waitTimeout / 6, .release(id, epoch: epoch, since: now))
    }

    private func isQuiet(_ held: Held) -> Bool {
        let isAtRest = held.append == nil && held.queue.isEmpty || !rules.releaseWaitsForCommits
        return isAtRest && holdsLease && !directory.isDraining && held.stored.runningEffects.isEmpty
            && held.streams.allSatisfy { stream in
                guard case .node(let remote)? = requests[stream]?.origin else { return false }
                return UInt16(remote.node.index + 1) == held.handover.node
            }
    }

    func retryRelease(_ id: Int, _ epoch: Int, _ since: Int) {
        guard directory.isReleasing(id, epoch: epoch), let incarnation = lease.incarnation else { return }
        guard now - since <= waitTimeout else { return take(.refused, toRelease: id, epoch) }
        send(.release(id, incarnation: incarnation.number, epoch: epoch), .release(id, epoch: epoch))
        after(waitTimeout / 6, .release(id, epoch: epoch, since: since))
    }

    func endReservation(_ id: Int, _ epoch: Int) {
        directory.endReservation(id, epoch: epoch)
        // Another copy of the command was on its way all the time.
        if world.isFaulty, let incarnation = lease.incarnation, world.random.chance(30) {
            send(.release(id, incarnation: incarnation.number, epoch: epoch), .release(id, epoch: epoch))
        }
    }

    func take(_ answer: RedisAnswer, toRelease id: Int, _ epoch: Int) {
        var isReleased = false
        if case .done = answer { isReleased = true }
        guard directory.take(released: isReleased, id, epoch: epoch) else { return }
        if isReleased { after(world.settings.lease / 5, .endReservation(id, epoch: epoch)) }
        wake(id)
    }
}
