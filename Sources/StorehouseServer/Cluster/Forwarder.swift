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

/// Sends requests for sessions of other nodes to these nodes, and their responses to the clients.
final class Forwarder: Sendable {
    struct Settings: Sendable {
        /// How long a node that has died keeps its sessions.
        var lease = Duration.seconds(5)
        /// The longest time that a response is held for `Prefer: wait`.
        var maxWait = Duration.seconds(60)
        var streams = EventStream.Settings()
        var proxies = TrustedProxies()
        /// Of the connections of one loop to one node.
        var limits = Peer.Limits()
    }

    /// The longest request that shares a connection with others.
    private static let maxShortBytes = 16_384

    let identity: NodeIdentity
    let ownAddress = OwnAddress()
    private let settings: Settings
    /// How long to wait for a node that is alive and does not answer.
    private let timeout: Duration
    /// The same with the longest time that a response is held.
    private let longTimeout: Duration
    /// In each response of another node.
    private let via: Response.Field
    private let clock: WallClock
    private let log: Log
    private let forwardedRequests = Atomic<Int>(0)
    private let joinedStreams = Atomic<Int>(0)
    // Guards the directory of the other nodes. Only functions of the directory are called while the lock is held.
    private let nodes = Locked(NodeDirectory<SessionID>())
    /// Whether the directory has nodes that do not answer. It is set under the lock of `nodes`, and read without it, so that an
    /// ordinary response takes no lock.
    private let hasSilentNodes = Atomic<Bool>(false)
    // Guards how the nodes of an earlier release prove themselves, by their names. No other lock is taken while it is held.
    private let earlierNodes = Locked<[String: EarlierProofs.Way]>([:])
    /// Whether there are any. It is set under the lock, and read without it.
    private let hasEarlierNodes = Atomic<Bool>(false)
    // Guards what each loop has for itself.
    private let loops = Locked<[ObjectIdentifier: (loop: any EventLoop, state: LoopBound<LoopState>)]>([:])

    /// What one loop has for itself. On that loop only.
    private final class LoopState {
        var peers: [String: Peer] = [:]
        let sharing: StreamSharing

        init(_ sharing: StreamSharing) { self.sharing = sharing }
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

    /// How many streams have begun that share their events with others.
    var joinedStreamCount: Int { joinedStreams.load(ordering: .relaxed) }

    /// How long a node that has died keeps its sessions.
    var lease: Duration { settings.lease }

    var waits: ClusterWaits { settings.limits.waits }

    /// The number of the node of an earlier release that has sent a request with this field; nil if none has.
    func earlierSender(of field: String) -> UInt16? {
        identity.earlier.sender(of: field, now: clock.now(), earlierWay).map { identity.number(of: $0) }
    }

    /// How a node of an earlier release proves itself; nil if a node is of none.
    private func earlierWay(of node: String) -> EarlierProofs.Way? {
        hasEarlierNodes.load(ordering: .relaxed) ? earlierNodes.withLock { $0[node] } : nil
    }

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
        for (loop, state) in loops.withLock({ Array($0.values) }) {
            // What they were asked may be done or not.
            loop.execute { for address in left { state.value.peers.removeValue(forKey: address)?.closeAll() } }
        }
    }

    /// Takes the nodes of earlier releases, and the numbers of the ways in which they prove themselves.
    func take(earlier nodes: [String: Int]) {
        earlierNodes.withLock { earlier in
            earlier = nodes.compactMapValues { EarlierProofs.Way(rawValue: $0) }
            hasEarlierNodes.store(!earlier.isEmpty, ordering: .relaxed)
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
    /// - Parameters:
    ///   - id: the session that the request is for.
    ///   - failed: is called instead if there is no response that the client may get.
    func forward(
        _ context: RequestContext, of id: SessionID, to owner: String,
        failed: @escaping (RoutedRequest.Failure, RequestContext) throws(Problem) -> Void
    ) throws(Problem) {
        // The journal may have found the owner just before it was gone.
        if isGone(owner) { return try failed(.notSent, context) }
        forwardedRequests.add(1, ordering: .relaxed)
        guard context.decorator.route?.isStream == true, context.head.method == .get else {
            return send(context, to: owner, failed: failed)
        }
        guard let key = StreamKey(context.head, of: id, at: owner) else {
            return send(context, to: owner, as: stream(context), failed: failed)
        }
        let sharing = state(of: context.exchange.loop).sharing
        let request = StreamSharing.Request { [self] shared in
            let stream = stream(context, joining: shared) { sharing.leaves(key) }
            let answered = { (isStream: Bool) in sharing.answered(key, isStream: isStream) }
            send(context, to: owner, as: stream, joining: shared, answered: answered, failed: failed)
        } open: { [self] done in
            openShared(context, at: owner, done)
        }
        sharing.arrives(key, request)
    }

    private func stream(
        _ context: RequestContext, joining shared: SharedStream? = nil, ended: @escaping () -> Void = {}
    ) -> RelayedStream {
        RelayedStream(
            joining: shared, on: context.exchange.loop, settings.streams, maxWait: waits.sharedStream, clock,
            ended: ended)
    }

    /// Asks for a stream that clients can share.
    private func openShared(
        _ context: RequestContext, at owner: String, _ done: @escaping (StreamSharing.SharedStreamSource?) -> Void
    ) {
        let loop = context.exchange.loop
        let peer = peer(at: owner, on: loop)
        let fields = fields(of: context, peer.proof()) + [.init(StreamFraming.field, "shared")]
        let bytes = context.head.forwarded(body: [], isStream: true, adding: fields)
        let request = ForwardedRequest(bytes, isStream: true, on: loop, within: timeout(of: context.head)) { outcome in
            guard case .stream(let head, let connection) = outcome else { return done(nil) }
            if let parts = head.sharing, parts.count == 2, parts[0] == "shared" {
                return done((String(parts[1]), connection))
            }
            connection.close()
            done(nil)
        }
        peer.send(request)
    }

    private func fields(of context: RequestContext, _ proof: NodeProof) -> [Response.Field] {
        [
            .init("Storehouse-Node", proof.field),
            .init("Storehouse-Client", client(of: context).description),
            .init("X-Request-Id", context.exchange.connection.requestID),
        ]
    }

    /// - Parameters:
    ///   - stream: passes on the response if that is a stream; nil for a request for something else.
    ///   - shared: the stream that the client joins; nil for none.
    ///   - answered: gets whether the response is a stream.
    private func send(
        _ context: RequestContext, to owner: String, as stream: RelayedStream? = nil,
        joining shared: SharedStream? = nil, answered: @escaping (Bool) -> Void = { _ in },
        failed: @escaping (RoutedRequest.Failure, RequestContext) throws(Problem) -> Void
    ) {
        let loop = context.exchange.loop
        let peer = peer(at: owner, on: loop)
        let proof = peer.proof()
        let right = right(of: context, proof, body: context.request.body)
        var fields: [Response.Field] = fields(of: context, proof)
        if let shared { fields.append(.init(StreamFraming.field, "joined \(shared.id)")) }
        let bytes = context.head.forwarded(
            body: context.request.body, isStream: stream != nil, adding: fields, hidesCredentials: right != nil)
        let isShort = stream == nil && context.head.method == .post && bytes.count <= Self.maxShortBytes
        let request = ForwardedRequest(
            bytes, isStream: stream != nil, isShort: isShort, right: right, on: loop, within: timeout(of: context.head)
        ) { [self] outcome in
            if case .stream(let head, let source) = outcome, let stream {
                answered(true)
                return relay(head, source, by: stream, context)
            }
            answered(false)
            stream?.stop()
            do throws(Problem) {
                switch outcome {
                case .response(let head, let body):
                    let response = Response(head.status, fields: relayed(head, context), body: body)
                    context.answer(stream == nil ? response : response.withCodeOfProblem())
                case .stream(_, let source): source.close()
                case .noRoom: context.refuseResponse()
                case .notHere: try failed(.notHere, context)
                case .notSent: try failed(.notSent, context)
                case .unknown: try failed(.unknown, context)
                }
            } catch {
                context.answer(error.response)
            }
        }
        peer.send(request)
    }

    /// Sends a client's request to several nodes, for what each of them knows.
    ///
    /// - Parameter done: gets the bodies of their responses. A node that does not answer soon is left out.
    func ask(_ others: Set<String>, _ context: RequestContext, _ done: @escaping ([String: [UInt8]]) -> Void) {
        let loop = context.exchange.loop
        var (bodies, awaited) = ([String: [UInt8]](), others.count)
        for node in others {
            let peer = peer(at: node, on: loop)
            let proof = peer.proof()
            let right = right(of: context, proof, body: [])
            let bytes = context.head.forwarded(
                body: [], isStream: false, adding: fields(of: context, proof), hidesCredentials: right != nil)
            let request = ForwardedRequest(bytes, isStream: false, right: right, on: loop, within: waits.lists) {
                outcome in
                if case .response(let head, let body) = outcome, head.status == .ok { bodies[node] = body }
                awaited -= 1
                if awaited == 0 { done(bodies) }
            }
            peer.send(request)
        }
    }

    /// The right of an operator that the other node takes from this one, so that it needs no credentials; nil for another client,
    /// and for a node of an earlier release.
    private func right(of context: RequestContext, _ proof: NodeProof, body: [UInt8]) -> SignedRequest? {
        guard proof.isLink, case .admin = context.credentials else { return nil }
        return SignedRequest(context.head, body)
    }

    /// How long to wait for a node that is alive and does not answer.
    private func timeout(of head: RequestHead) -> Duration {
        let waits = head.fields.values("prefer").contains { $0.lowercased().contains("wait") }
        return waits ? longTimeout : timeout
    }

    private func client(of context: RequestContext) -> IPAddress {
        settings.proxies.client(behind: context.exchange.peer, context.head.fields)
    }

    private func state(of loop: any EventLoop) -> LoopState {
        loops.withLock { loops in
            if let known = loops[ObjectIdentifier(loop)] { return known.state }
            let sharing = StreamSharing(
                on: loop, settings.streams, maxWait: waits.sharedStream, maxFrameBytes: settings.limits.output.limit)
            let state = LoopBound(LoopState(sharing), on: loop)
            loops[ObjectIdentifier(loop)] = (loop, state)
            return state
        }.value
    }

    private func peer(at address: String, on loop: any EventLoop) -> Peer {
        let state = state(of: loop)
        if let peer = state.peers[address] { return peer }
        let proof = { [unowned self] () -> NodeProof in
            guard let way = earlierWay(of: address) else { return .link(identity) }
            return .field(identity.earlier.field(for: address, way, now: clock.now()))
        }
        let peer = Peer(address, on: loop, proof: proof, settings.limits) { [weak self] problem in
            self?.report(problem, of: address)
        }
        state.peers[address] = peer
        return peer
    }

    /// The fields of another node's response as the client gets them, without those that this node adds to all of its responses.
    private func relayed(_ head: ResponseHead, _ context: RequestContext) -> [Response.Field] {
        var fields = head.endToEndFields(besides: context.decorator.fields)
        fields.append(via)
        return fields
    }

    private func relay(
        _ head: ResponseHead, _ source: PeerConnection, by stream: RelayedStream, _ context: RequestContext
    ) {
        let fields = relayed(head, context) + context.decorator.fields
        guard let client = context.exchange.startStream(fields: fields, owner: stream) else {
            stream.stop()
            return source.close()
        }
        // The other node sends all events if it has lost the shared stream.
        let isJoined = head.sharing == ["joined"]
        if isJoined { joinedStreams.add(1, ordering: .relaxed) }
        stream.start(to: client, from: source, format(head, context), isJoined: isJoined)
    }

    private func format(_ head: ResponseHead, _ context: RequestContext) -> StreamFormat {
        if head.fields.first("content-type")?.hasPrefix("text/event-stream") == true { return .state }
        return .text(inColor: (try? context.head.flag("color")) == true)
    }
}

extension ResponseHead {
    /// What the other node says about a stream that clients can share.
    fileprivate var sharing: [Substring]? { fields.first("storehouse-stream")?.split(separator: " ") }
}
