import Cluster
import Observability
import Platform
import Sessions
import Sockets
import Stores
import Synchronization

/// Whether requests to a node's own address arrive at the node.
final class OwnAddress: Sendable {
    /// Only this process knows it, so a request that has it comes from here.
    let code = SessionID.random().description
    private let reached = Atomic(false)
    private let beingChecked = Atomic(false)

    var isReached: Bool { reached.load(ordering: .relaxed) }

    /// Takes what a request has in `Storehouse-Node`.
    ///
    /// - Returns: whether this node has sent it to its own address.
    func receive(_ credentials: String) -> Bool {
        guard credentials == code else { return false }
        reached.store(true, ordering: .relaxed)
        return true
    }

    /// - Returns: whether nobody has begun before.
    func beginCheck() -> Bool { !beingChecked.exchange(true, ordering: .relaxed) }
}

/// Finds out whether a node's `cluster.address` leads to it, and logs a warning as long as it does not: a node that others cannot
/// reach notices nothing by itself. On one loop only.
///
/// It sends requests to the address, as other nodes do, until one has arrived. After that the address is not looked at again.
final class OwnAddressCheck {
    private let own: OwnAddress
    private let address: String
    private let target: String
    private let interval: Duration
    private let waits: ClusterWaits
    private let availability: Availability
    private let log: Log
    private let loop: any EventLoop
    private lazy var peer: Peer = {
        let proof = { [own] in NodeProof.field(own.code) }
        return Peer(address, on: loop, proof: proof, Peer.Limits(waits: waits)) { [weak self] in
            self?.reason = $0 ?? self?.reason
        }
    }()
    /// Why the newest request was not answered.
    private var reason: String?
    private var problem = LastingProblem(changedAfter: 0, sameAfter: 60_000)

    /// - Parameters:
    ///   - target: that of the request.
    ///   - interval: between two requests.
    init(
        _ own: OwnAddress, at address: String, target: String, every interval: Duration, _ waits: ClusterWaits,
        on loop: any EventLoop, _ availability: Availability, _ log: Log
    ) {
        self.own = own
        self.address = address
        self.target = target
        self.interval = interval
        self.waits = waits
        self.availability = availability
        self.log = log
        self.loop = loop
    }

    func ask() {
        guard !availability.isDraining else { return }
        reason = nil
        let head = "GET \(target) HTTP/1.1\r\nHost: \(address)\r\nStorehouse-Node: \(own.code)\r\n"
        let bytes = Array((head + "Connection: close\r\n\r\n").utf8)
        peer.send(ForwardedRequest(bytes, isStream: false, on: loop, within: waits.ownAddress) { [self] in ended($0) })
    }

    private func ended(_ outcome: ForwardedRequest.Outcome) {
        // The address may lead somewhere else the next time.
        peer.closeAll()
        guard !availability.isDraining else { return }
        if own.isReached {
            if problem.ends() { log.info("cluster.address leads to this node now", [.init("address", address)]) }
            return
        }
        let wasSent = if case .notSent = outcome { false } else { true }
        let reason = reason ?? (wasSent ? "another server listens there" : "no answer")
        if problem.occurs(reason, now: Int(loop.now.nanoseconds / 1_000_000)) {
            let remedy =
                "cluster.address must be the address at which other nodes reach this one, and http.host must listen there"
            log.warning(
                "cluster.address does not lead to this node",
                [.init("address", address), .init("detail", "\(reason); \(remedy)")])
        }
        _ = loop.schedule(after: interval) { [self] in ask() }
    }
}
