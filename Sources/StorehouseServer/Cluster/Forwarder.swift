import Cluster
import HTTP
import HTTPServer
import Locks
import Platform
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

    /// How many owners of sessions are remembered.
    private static let maxOwners = 1 << 16
    /// How many dead nodes are remembered.
    private static let maxGone = 1024

    let identity: NodeIdentity
    private let settings: Settings
    private let clock: WallClock
    private let forwardedRequests = Atomic<Int>(0)
    // Guards the owners that are known, which may have changed. Nothing is called while it is held.
    private let owners = Locked<[SessionID: String]>([:])
    // Guards the nodes that were alive when the journal looked last, and those that were alive before.
    private let nodes = Locked<(alive: Set<String>, gone: Set<String>)>(([], []))
    // Guards the connections of each loop. Nothing is called while it is held.
    private let pools = Locked<[ObjectIdentifier: (loop: any EventLoop, pool: LoopBound<PeerPool>)]>([:])

    init(_ identity: NodeIdentity, _ settings: Settings, _ clock: WallClock) {
        self.identity = identity
        self.settings = settings
        self.clock = clock
    }

    /// How many requests were sent to other nodes.
    var count: Int { forwardedRequests.load(ordering: .relaxed) }

    /// The time that routing is decided by, in milliseconds.
    var now: Int { Int(LoopInstant.current.nanoseconds / 1_000_000) }

    /// Until when a request that begins now looks for its session. A node may die while it has the request, and again.
    var deadline: Int { now + 2 * settings.lease.wholeMilliseconds + 2000 }

    /// The node that has a session, if that is known.
    func owner(of id: SessionID) -> String? { owners.withLock { $0[id] } }

    func remember(_ owner: String, of id: SessionID) {
        owners.withLock { owners in
            // They are asked for again. This is rare, and cheaper than an order of use.
            if owners.count >= Self.maxOwners { owners = [:] }
            owners[id] = owner
        }
    }

    /// A node does not have a session, or cannot be reached.
    func forget(_ owner: String, of id: SessionID) {
        owners.withLock { owners in
            if owners[id] == owner { owners[id] = nil }
        }
    }

    /// Takes the nodes that are alive. The connections to nodes that have died are closed, so that the requests on them end.
    func take(_ alive: Set<String>) {
        let gone = nodes.withLock { nodes in
            let gone = nodes.alive.subtracting(alive)
            let earlier = nodes.gone.count < Self.maxGone ? nodes.gone : []
            nodes = (alive, earlier.union(gone).subtracting(alive))
            return gone
        }
        guard !gone.isEmpty else { return }
        owners.withLock { owners in owners = owners.filter { !gone.contains($0.value) } }
        for (loop, pool) in pools.withLock({ Array($0.values) }) {
            loop.execute { for address in gone { pool.value.close(to: address) } }
        }
    }

    /// Sends a request to another node, and its response to the client.
    ///
    /// - Parameter failed: is called instead if there is no response that the client may get.
    func forward(
        _ context: RequestContext, to owner: String,
        failed: @escaping (RoutedRequest.Failure, RequestContext) throws(Problem) -> Void
    ) throws(Problem) {
        // The journal may have found the owner just before it was gone.
        if nodes.withLock({ $0.gone.contains(owner) }) { return try failed(.notSent, context) }
        forwardedRequests.add(1, ordering: .relaxed)
        let loop = context.exchange.loop
        let peer = pool(of: loop).peer(at: owner)
        let isStream = context.decorator.route?.isStream == true && context.head.method == .get
        let fields: [Response.Field] = [
            .init("Storehouse-Node", peer.credentials),
            .init("Storehouse-Client", client(of: context).description),
            .init("X-Request-Id", context.exchange.connection.requestID),
        ]
        let bytes = context.head.forwarded(body: context.request.body, isStream: isStream, adding: fields)
        let request = ForwardedRequest(bytes, isStream: isStream, on: loop, within: timeout(of: context.head)) {
            [self] outcome in
            do throws(Problem) {
                switch outcome {
                case .response(let response): context.answer(relayed(response, context))
                case .stream(let head, let source): relay(head, source, context)
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

    /// How long to wait for a node that is alive and does not answer.
    private func timeout(of head: RequestHead) -> Duration {
        let waits = head.fields.values("prefer").contains { $0.lowercased().contains("wait") }
        return (waits ? settings.maxWait : .zero) + settings.lease * 2 + .seconds(2)
    }

    private func client(of context: RequestContext) -> IPAddress {
        settings.proxies.client(behind: context.exchange.peer, context.head.fields)
    }

    private func pool(of loop: any EventLoop) -> PeerPool {
        pools.withLock { pools in
            if let known = pools[ObjectIdentifier(loop)] { return known.pool }
            let pool = LoopBound(PeerPool(on: loop, identity, settings.limits), on: loop)
            pools[ObjectIdentifier(loop)] = (loop, pool)
            return pool
        }.value
    }

    /// The response of another node as the client gets it.
    private func relayed(_ response: Response, _ context: RequestContext) -> Response {
        var response = response
        response.fields = relayed(response.fields, context)
        return response
    }

    private func relayed(_ fields: [Response.Field], _ context: RequestContext) -> [Response.Field] {
        let own = Set(context.decorator.fields.map { $0.name.lowercased() })
        return fields.filter { !own.contains($0.name.lowercased()) } + [.init("Via", "1.1 \(identity.name)")]
    }

    private func relay(_ head: ResponseHead, _ source: PeerConnection, _ context: RequestContext) {
        let fields = relayed(head.endToEndFields, context) + context.decorator.fields
        let stream = RelayedStream(source, on: context.exchange.loop, format(head, context), settings.streams, clock)
        guard let client = context.exchange.startStream(fields: fields, owner: stream) else { return source.close() }
        stream.start(to: client)
    }

    private func format(_ head: ResponseHead, _ context: RequestContext) -> StreamFormat {
        if head.fields.first("content-type")?.hasPrefix("text/event-stream") == true { return .state }
        return .text(inColor: (try? context.head.flag("color")) == true)
    }
}
