import Cluster

/// A node: the decisions of `Cluster`, and the actions of a server that follow them.
final class SimulatedNode {
    /// A session in the memory of its owner.
    final class Held {
        struct Append {
            let operation: Operation
            let request: Int?
            let entry: Entry?
            let sequence: Int
            /// How often it was sent.
            var attempts = 0
        }

        let id: Int
        /// With the commits that Redis has acknowledged.
        var stored: StoredSession
        var queue: [(operation: Operation, request: Int?)] = []
        var append: Append?
        /// The requests of the streams.
        var streams: [Int] = []
        var handover = SessionHandover()

        init(_ id: Int, _ stored: StoredSession) {
            self.id = id
            self.stored = stored
        }
    }

    enum Origin {
        case client(Int)
        case stream(Int, connection: Int)
        case node(RemoteRequest)
        case own
    }

    struct Request {
        let session: Int
        let operation: Operation
        let origin: Origin
        let hops: Int
        let deadline: Int
        var routed: RoutedRequest
        /// Whether it is a stream that has begun. Then it is not repeated: its client resumes.
        var hasBegun = false
        /// The node that it was forwarded to.
        var owner: NodeIncarnation?
        var attempt = 0
        /// When the last message of its stream arrives.
        var lastArrival = 0
        /// The session while the request is in progress there.
        var used: Held?
    }

    unowned let world: Simulation
    let index: Int
    var run: NodeRun
    var isUp = false
    var pausedUntil = 0
    var cutFromRedisUntil = 0
    var cutFromNodesUntil = 0

    /// How much faster the clock goes than that of Redis, in thousandths.
    let drift: Int
    private let clockStart: Int
    var wallOffset = 0

    var lease: NodeLease
    var directory = SessionDirectory<Int>()
    var sessions: [Int: Held] = [:]
    var requests: [Int: Request] = [:]
    /// The requests that wait for claims.
    var waiting: [Int: [Int]] = [:]
    /// The sessions whose own work waits for the lease.
    var stalled: Set<Int> = []
    var appendCount = 0
    private var requestCount = 0
    private var drainStart: Int?
    /// Whether nothing is left to give back.
    private var isGivenBack = true

    init(_ index: Int, _ world: Simulation) {
        self.world = world
        self.index = index
        run = NodeRun(index: index, run: 0)
        drift = world.random.within(-world.maxDrift...world.maxDrift)
        clockStart = world.random.below(1_000_000)
        lease = NodeLease(world.terms, now: 0)
    }

    var isCutFromRedis: Bool { world.isFaulty && world.now < cutFromRedisUntil }
    var isCutFromNodes: Bool { world.isFaulty && world.now < cutFromNodesUntil }
    var rules: Rules { world.settings.rules }
    var address: String { "n\(index)" }
    /// The monotonic clock.
    var now: Int { clockStart + world.now + world.now * drift / 1000 }
    private var leaseNow: Int { rules.leaseUsesWallClock ? now + wallOffset : now }
    var holdsLease: Bool { !rules.answersNeedLease && lease.incarnation != nil || lease.holds(at: leaseNow) }
    /// The time without an answer after which a commit is given up.
    var waitTimeout: Int { world.settings.lease * 7 / 10 }

    // MARK: The process

    func start() {
        run = NodeRun(index: index, run: run.run + 1)
        isUp = true
        pausedUntil = 0
        lease = NodeLease(world.terms, now: leaseNow)
        directory = SessionDirectory()
        (drainStart, isGivenBack) = (nil, true)
        renewLease()
        after(world.terms.interval, .lease)
        if rules.timersAreLookedFor { after(world.dueInterval, .findDue) }
    }

    /// The process is gone, and everybody who had a connection to it notices that now or later.
    func kill() {
        isUp = false
        for id in requests.keys.sorted() { if let request = requests[id] { world.disconnect(request, of: run) } }
        (sessions, requests, waiting, stalled, appendCount) = ([:], [:], [:], [], 0)
        world.restart(self)
    }

    func drain() {
        guard drainStart == nil else { return }
        drainStart = world.now
        directory.drain()
        for held in allHeld {
            let queue = held.queue
            held.queue = []
            for item in queue {
                guard let request = item.request else { continue }
                endUse(of: request)
                proceed(request)
            }
        }
        wakeAll()
        after(5, .drain)
    }

    private func continueDraining() {
        guard let start = drainStart else { return }
        if lease.incarnation != nil, appendCount == 0 {
            let owned = directory.owned
            let isLeaving = rules.drainGivesBack && lease.leave(now: leaseNow)
            loseAll()
            world.drained(self, owned)
            if !isLeaving { return kill() }
            isGivenBack = false
            renewLease()
        }
        let isDone = lease.incarnation == nil && isGivenBack && requests.isEmpty
        if isDone || world.now - start > 2 * world.settings.lease { return kill() }
        after(5, .drain)
    }

    var allHeld: [Held] { sessions.keys.sorted().compactMap { sessions[$0] } }

    func after(_ delay: Int, _ timer: Timer) {
        world.queue.add(.timer(run, timer), at: world.now + delay * 1000 / (1000 + drift) + 1)
    }

    func send(_ command: RedisCommand, _ context: CommandContext) {
        world.send(command, context, from: self)
    }

    // MARK: The lease

    private func renewLease() {
        guard let request = lease.nextRequest(now: leaseNow) else { return }
        send(.lease(request.command, address: address), .lease(request))
    }

    func take(_ answer: NodeLease.Answer, to request: NodeLease.Request) {
        let sentAt = rules.leaseBeginsAtRequest ? request.sentAt : leaseNow
        switch lease.take(answer, to: NodeLease.Request(request.command, sentAt: sentAt), now: leaseNow) {
        case .began(let incarnation): directory.begin(incarnation)
        case .ended:
            loseAll()
            renewLease()
        case .left: isGivenBack = true
        case nil: break
        }
        guard holdsLease, !stalled.isEmpty else { return }
        let ready = stalled.sorted()
        stalled = []
        for id in ready { if let held = sessions[id] { advance(held) } }
    }

    // MARK: Timers

    func receive(_ timer: Timer) {
        switch timer {
        case .lease:
            renewLease()
            after(world.terms.interval, .lease)
        case .findDue:
            if let incarnation = lease.incarnation, !directory.isDraining {
                send(.findDue(incarnation: incarnation.number, limit: 8), .findDue)
            }
            after(world.dueInterval, .findDue)
        case .look(let request): proceed(request)
        case .attempt(let id, let attempt):
            guard let request = requests[id], request.attempt == attempt, request.owner != nil else { return }
            if case .stream = request.operation, request.hasBegun { return }
            fail(id, .unknown)
        case .claim(let claim, let since): retry(claim, since)
        case .append(let id, let epoch, let sequence, let since): retryAppend(id, epoch, sequence, since)
        case .effect(let id, let epoch, let effect): own(.settle(effect: effect), id, epoch)
        case .deadline(let id, let epoch): own(.fireTimer, id, epoch)
        case .release(let id, let epoch, let since): retryRelease(id, epoch, since)
        case .giveUp(let id, let epoch): giveUpHandover(id, epoch)
        case .handOver(let id, let epoch): handOver(id, epoch)
        case .endReservation(let id, let epoch): endReservation(id, epoch)
        case .drain: continueDraining()
        }
    }

    private func own(_ operation: Operation, _ id: Int, _ epoch: Int) {
        guard let held = sessions[id], held.stored.epoch == epoch else { return }
        held.queue.append((operation, nil))
        advance(held)
    }

    // MARK: Requests

    func receive(_ session: Int, _ operation: Operation, _ origin: Origin, hops: Int, remaining: Int) {
        world.check { audit throws(Violation) in
            if hops > 1 { throw Violation(description: "a request for session \(session) was forwarded twice") }
        }
        requestCount += 1
        let kind: RoutedRequest.Kind =
            switch operation {
            case .read, .stream, .wake: .read
            case .end: .write(isIdempotent: true)
            case .write(_, let key, _, _): .write(isIdempotent: key != 0 || rules.repeatsAnyWrite)
            case .settle, .fireTimer: .write(isIdempotent: false)
            }
        let isForwarded = hops > 0 && rules.forwardedRequestsAreMarked
        let routed = RoutedRequest(kind, isForwarded: isForwarded, deadline: now + remaining)
        requests[requestCount] = Request(
            session: session, operation: operation, origin: origin, hops: hops, deadline: now + remaining,
            routed: routed)
        proceed(requestCount)
    }

    func proceed(_ id: Int) {
        guard var request = requests[id] else { return }
        if let held = sessions[request.session], directory.epoch(of: request.session) != nil {
            return use(held, id, request)
        }
        let place = directory.place(of: request.session)
        let step = request.routed.next(place, isDraining: directory.isDraining, now: now)
        requests[id] = request
        perform(step, id)
    }

    /// Uses the session in memory, unless the node drains. Whether its lease holds is checked when the answer is made.
    private func use(_ held: Held, _ id: Int, _ request: Request) {
        guard directory.isDraining else { return admit(id, request, held) }
        if request.hops > 0, rules.forwardedRequestsAreMarked { return respond(id, .notHere) }
        respond(id, request.routed.mayBeCommitted ? .unknown : .unavailable)
    }

    func fail(_ id: Int, _ failure: RoutedRequest.Failure) {
        endUse(of: id)
        guard var request = requests[id] else { return }
        if let owner = request.owner, rules.refusalIsForgotten { directory.forget(request.session, at: owner) }
        request.owner = nil
        guard !request.hasBegun else {
            requests[id] = request
            return respond(id, .broken)
        }
        let step = request.routed.failed(failure, now: now)
        requests[id] = request
        perform(step, id)
    }

    private func perform(_ step: RoutedRequest.Step, _ id: Int) {
        guard let request = requests[id] else { return }
        switch step {
        case .awaitRelease: waiting[request.session, default: []].append(id)
        case .claim:
            // A node without an incarnation asks nobody.
            guard lease.incarnation != nil else { return fail(id, .unavailable) }
            waiting[request.session, default: []].append(id)
            guard let claim = directory.claim(request.session) else { return }
            send(.claim(claim.id, incarnation: claim.incarnation.number), .claim(claim))
            after(waitTimeout / 4, .claim(claim, since: now))
        case .forward(let owner): forward(id, to: owner)
        case .lookAgain(let delay): after(delay, .look(request: id))
        case .answerNotHere: respond(id, .notHere)
        case .answerUnavailable: respond(id, .unavailable)
        case .answerUnknown: respond(id, .unknown)
        }
    }

    private func forward(_ id: Int, to owner: NodeIncarnation) {
        guard var request = requests[id] else { return }
        request.attempt += 1
        request.owner = owner
        requests[id] = request
        let remote = RemoteRequest(node: run, request: id, attempt: request.attempt)
        let message = NodeMessage.request(
            remote, request.session, request.operation, hops: request.hops + 1, remaining: request.deadline - now)
        world.send(message, from: self, to: owner.address, about: remote)
        after(world.settings.lease / 2, .attempt(request: id, attempt: request.attempt))
    }

    /// Answers a request, and forgets it.
    func respond(_ id: Int, _ outcome: Outcome) {
        endUse(of: id)
        guard let request = requests.removeValue(forKey: id) else { return }
        world.respond(to: request, outcome, from: self)
    }

    func receive(_ message: NodeMessage) {
        switch message {
        case .request(let remote, let session, let operation, let hops, let remaining):
            receive(session, operation, .node(remote), hops: hops, remaining: remaining)
        case .answer(let remote, let outcome):
            guard let request = requests[remote.request], request.attempt == remote.attempt, request.owner != nil
            else { return }
            switch outcome {
            case .done, .ended: respond(remote.request, outcome)
            case .notHere: fail(remote.request, .notHere)
            case .notSent: fail(remote.request, .notSent)
            case .unavailable: fail(remote.request, .unavailable)
            case .unknown, .broken: fail(remote.request, .unknown)
            }
        case .event(let remote, let sender, let stream, let revision):
            guard var request = requests[remote.request], request.attempt == remote.attempt, request.owner != nil
            else { return world.send(.cancel(request: stream), from: self, to: "n\(sender.index)", about: nil) }
            request.hasBegun = true
            world.relay(revision, to: &request, from: self, id: remote.request)
            requests[remote.request] = request
        case .cancel(let stream):
            guard let request = requests.removeValue(forKey: stream) else { return }
            sessions[request.session]?.streams.removeAll { $0 == stream }
        }
    }
}
