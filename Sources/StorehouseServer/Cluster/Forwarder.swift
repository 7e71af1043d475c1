import Cluster
import HTTP
import HTTPServer
import Locks
import Observability
import Platform
import Sessions
import Sockets
import Stores
import Synchronization
import Threads

/// Sends requests for sessions of other nodes to these nodes, and their responses to the clients.
final class Forwarder: Sendable {
    struct Settings: Sendable {
        /// How long a node that has died keeps its sessions.
        var lease = Duration.seconds(5)
        /// The longest time that a response is held for `Prefer: wait`.
        var maxWait = Duration.seconds(60)
        var streams = EventStream.Settings()
        var proxies = TrustedProxies()
        /// Counts the responses that are collected, and what waits to be sent to other nodes.
        var output = OutputBudget(limit: .max)
        var waits = ClusterWaits()
    }

    let identity: NodeIdentity
    let ownAddress = OwnAddress()
    private let settings: Settings
    /// How long to wait for a node that is alive and does not answer.
    private let timeout: Duration
    /// That timeout with the longest time that a response is held.
    private let longTimeout: Duration
    /// In each response of another node but those that tell nothing of a session, not even that another node has it.
    private let via: Response.Field
    private let clock: WallClock
    private let log: Log
    private let forwardedRequests = Atomic<Int>(0)
    private let followers = Atomic<Int>(0)
    // Guards the directory of the other nodes. Only functions of the directory are called while the lock is held.
    private let nodes = Locked(NodeDirectory<SessionID>())
    /// Whether the directory has nodes that do not answer. It is set under the lock of `nodes`, and read without it, so that an
    /// ordinary response takes no lock.
    private let hasSilentNodes = Atomic<Bool>(false)
    // Guards the other nodes that each loop has connections to.
    private let loops = Locked<[ObjectIdentifier: (loop: any EventLoop, peers: LoopBound<Peers>)]>([:])

    /// The other nodes by their names, for one loop. On that loop only.
    private final class Peers {
        var byName: [String: Peer] = [:]
    }

    init(_ identity: NodeIdentity, _ settings: Settings, _ clock: WallClock, _ log: Log) {
        self.identity = identity
        self.settings = settings
        timeout = settings.lease * 2 + .seconds(2)
        longTimeout = timeout + settings.maxWait
        via = Response.Field("Via", "1.1 \(identity.name)")
        self.clock = clock
        self.log = log
    }

    /// How many requests were sent to other nodes.
    var count: Int { forwardedRequests.load(ordering: .relaxed) }

    /// How many streams have begun to get events that came once for several of them.
    var followerCount: Int { followers.load(ordering: .relaxed) }

    /// How long a node that has died keeps its sessions.
    var lease: Duration { settings.lease }

    var waits: ClusterWaits { settings.waits }

    /// The time that routing is decided by, in milliseconds.
    var now: Int { clock.steady() }

    /// Until when a request that begins now looks for its session. A node may die while it has the request, and again.
    var deadline: Int { now + 2 * settings.lease.wholeMilliseconds + 2000 }

    /// The node that has a session, if that is known.
    func owner(of id: SessionID) -> String? { nodes.withLock { $0.owner(of: id) } }

    func remember(_ owner: String, of id: SessionID) { nodes.withLock { $0.remember(owner, of: id) } }

    /// A node does not have a session, or cannot be reached.
    func forget(_ owner: String, of id: SessionID) { nodes.withLock { $0.forget(owner, of: id) } }

    /// Whether the lease of a node has ended, as far as this one knows.
    func isGone(_ node: String) -> Bool { nodes.withLock { $0.isGone(node) } }

    /// Whether this node had a lease when the journal looked last.
    var isAlive: Bool { nodes.withLock { $0.isAlive(identity.name) } }

    /// Takes the nodes that are alive. The connections to nodes that have died are closed, so that the requests on them end.
    func take(_ alive: Set<String>) {
        let (joined, left) = nodes.withLock { $0.take(alive) }
        for node in joined.sorted() where node != identity.name {
            log.info("a node has joined", [.init("node", node)])
        }
        guard !left.isEmpty else { return }
        for node in left.sorted() where node != identity.name {
            log.info("a node is gone: its lease has ended, or it has given it back", [.init("node", node)])
        }
        for (loop, peers) in loops.withLock({ Array($0.values) }) {
            // The requests that they have got may be done or not.
            loop.execute { for node in left { peers.value.byName.removeValue(forKey: node)?.closeAll() } }
        }
    }

    /// A node could not be reached, or has not answered in time; or, without a problem, it has answered.
    private func report(_ problem: String?, of node: String) {
        guard let problem else { return hasAnswered(node) }
        let isDue = nodes.withLock { nodes in
            defer { hasSilentNodes.store(nodes.hasSilentNodes, ordering: .relaxed) }
            return nodes.didNotAnswer(node, problem, now: now)
        }
        if isDue { log.warning("a node does not answer", [.init("node", node), .init("detail", problem)]) }
    }

    private func hasAnswered(_ node: String) {
        guard hasSilentNodes.load(ordering: .relaxed) else { return }
        let isDue = nodes.withLock { nodes in
            defer { hasSilentNodes.store(nodes.hasSilentNodes, ordering: .relaxed) }
            return nodes.hasAnswered(node)
        }
        if isDue { log.info("a node answers again", [.init("node", node)]) }
    }

    /// Sends a request to another node, and its response to the client.
    ///
    /// - Parameter failed: is called if there is no response that the client may get, and released once it has one or is gone.
    func forward(_ context: RequestContext, to node: String, failed: @escaping ForwardedCall.Failed) {
        // The journal may have found the node just before it was gone.
        if isGone(node) { return failed(.notSent, context) }
        forwardedRequests.add(1, ordering: .relaxed)
        let call = ForwardedCall(context, by: self, failed: failed)
        let timeout = timeout(of: context.head)
        let request = request(of: context, body: context.request.body, within: timeout, for: call)
        peer(at: node, on: context.exchange.loop).send(request)
    }

    private func request(
        of context: RequestContext, body: [UInt8], within timeout: Duration, for owner: any ForwardedRequestOwner
    ) -> ForwardedRequest {
        let isByOperator = if case .admin = context.credentials { true } else { false }
        let message = LinkedMessage(
            context.head, body, requestID: context.exchange.connection.requestID, from: client(of: context),
            isByOperator: isByOperator, asksForActor: context.permit != nil)
        return ForwardedRequest(
            message, counting: settings.output, on: context.exchange.loop, within: timeout, for: owner)
    }

    /// Answers a client as another node does.
    func answer(_ context: RequestContext, with response: Response, isOfStream: Bool) {
        var response = response
        context.logsGuest(namedIn: &response)
        let isRefusal = response.status == .forbidden
        // A header of another node would tell that the session exists. This node's own answer for an unknown session has none.
        if !isRefusal, response.status != .notFound { response.fields.append(via) }
        if isOfStream { response = response.withCodeOfProblem() }
        // This node's own answer for an unknown session leaves at a set time, too.
        if isRefusal { context.answerAtSetTime(response) } else { context.answer(response) }
    }

    /// Makes the response of a client the stream of another node.
    func relay(
        _ response: Response, _ source: LinkedStream, _ request: ForwardedRequest, _ context: RequestContext
    ) {
        var response = response
        context.logsGuest(namedIn: &response)
        let stream = RelayedStream(
            from: source, format(response, context), bufferBytes: settings.streams.bufferBytes, clock
        ) { [self] in followers.add(1, ordering: .relaxed) }
        let fields = response.fields + [via] + context.decorator.fields
        guard let client = context.exchange.startStream(fields: fields, owner: stream) else { return }
        stream.start(to: client)
        request.stream(to: stream)
    }

    private func format(_ response: Response, _ context: RequestContext) -> StreamFormat {
        if response["content-type"]?.hasPrefix("text/event-stream") == true { return .state }
        return .text(inColor: (try? context.head.flag("color")) == true)
    }

    /// Sends a client's request to several nodes, for what each of them knows.
    ///
    /// - Returns: the bodies of their responses; nil of a node that does not answer soon.
    func ask(_ others: Set<String>, _ context: RequestContext) -> [String: Promise<[UInt8]?>] {
        var bodies: [String: Promise<[UInt8]?>] = [:]
        for node in others {
            let question = Question()
            bodies[node] = question.body
            let request = request(of: context, body: [], within: waits.lists, for: question)
            peer(at: node, on: context.exchange.loop).send(request)
        }
        return bodies
    }

    /// How long to wait for a node that is alive and does not answer.
    private func timeout(of head: RequestHead) -> Duration {
        let waits = head.fields.values("prefer").contains { $0.lowercased().contains("wait") }
        return waits ? longTimeout : timeout
    }

    private func client(of context: RequestContext) -> IPAddress {
        settings.proxies.client(behind: context.exchange.peer, context.head.fields)
    }

    private func peer(at node: String, on loop: any EventLoop) -> Peer {
        let peers = loops.withLock { loops in
            if let known = loops[ObjectIdentifier(loop)] { return known.peers }
            let peers = LoopBound(Peers(), on: loop)
            loops[ObjectIdentifier(loop)] = (loop, peers)
            return peers
        }.value
        if let peer = peers.byName[node] { return peer }
        let peer = Peer(node, on: loop, waits, settings.output) {
            [identity] () throws(LinkVersion.Failure) in
            try identity.call(node)
        } report: { [weak self] problem in
            self?.report(problem, of: node)
        }
        peers.byName[node] = peer
        return peer
    }
}

/// A question to one of several nodes.
private final class Question: ForwardedRequestOwner {
    let body = Promise<[UInt8]?>()
    /// A long list takes its time.
    let distrustsSilence = false

    // Nothing refers to the request any more.
    deinit { body.fulfill(nil) }

    func ended(_ request: ForwardedRequest, _ outcome: ForwardedRequest.Outcome) {
        if case .response(let response) = outcome, response.status == .ok { body.fulfill(response.body) }
    }
}
