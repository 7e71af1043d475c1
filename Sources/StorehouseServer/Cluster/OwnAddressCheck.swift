import Cluster
import Locks
import Observability
import Platform
import Sessions
import Sockets
import Stores
import Synchronization

/// Whether requests to a node's own address arrive at the node.
final class OwnAddress: Sendable {
    /// The hello of this process to itself. Its nonce is random, so no other process has sent it.
    private let hello = Locked("")
    private let reached = Atomic(false)
    private let beingChecked = Atomic(false)

    var isReached: Bool { reached.load(ordering: .relaxed) }

    /// This node says hello to its own address.
    func sends(_ hello: String) { self.hello.withLock { $0 = hello } }

    /// Takes the hello of a connection.
    ///
    /// - Returns: whether this node has sent it to its own address.
    func receive(_ hello: String) -> Bool {
        guard self.hello.withLock({ $0 == hello && !hello.isEmpty }) else { return false }
        reached.store(true, ordering: .relaxed)
        return true
    }

    /// - Returns: whether nobody has begun before.
    func beginCheck() -> Bool { !beingChecked.exchange(true, ordering: .relaxed) }
}

/// Finds out whether a node's `cluster.address` leads to it, and logs a warning as long as it does not: a node that others cannot
/// reach notices nothing by itself. On one loop only.
///
/// It opens connections to the address, as other nodes do, until one has arrived. After that the address is not looked at again.
final class OwnAddressCheck {
    private let own: OwnAddress
    private let identity: NodeIdentity
    private let interval: Duration
    private let waits: ClusterWaits
    private let availability: Availability
    private let log: Log
    private let loop: any EventLoop
    private var peer: Peer?
    /// Why the newest hello was not received.
    private var reason: String?
    private var problem = LastingProblem(changedAfter: 0, sameAfter: 60_000)

    /// - Parameter interval: between two attempts.
    init(
        _ own: OwnAddress, of identity: NodeIdentity, every interval: Duration, _ waits: ClusterWaits,
        on loop: any EventLoop, _ availability: Availability, _ log: Log
    ) {
        self.own = own
        self.identity = identity
        self.interval = interval
        self.waits = waits
        self.availability = availability
        self.log = log
        self.loop = loop
    }

    /// Opens a connection, as other nodes do. It is refused, since this node needs none to itself.
    func ask() {
        guard !availability.isDraining else { return }
        reason = nil
        var waits = waits
        waits.proof = waits.ownAddress
        let peer = Peer(identity.name, on: loop, waits) {
            [own, identity] () throws(LinkVersion.Failure) in
            let caller = try identity.call(identity.name)
            own.sends(caller.hello)
            return caller
        } report: { [weak self] in
            self?.reason = $0 ?? self?.reason
        }
        // The address may lead somewhere else the next time.
        self.peer = peer
        peer.greet { [self] in ended() }
    }

    private func ended() {
        peer?.closeAll()
        peer = nil
        guard !availability.isDraining else { return }
        if own.isReached {
            if problem.ends() { log.info("cluster.address leads to this node now", [.init("address", identity.name)]) }
            return
        }
        let reason = reason ?? "another server listens there"
        if problem.occurs(reason, now: Int(loop.now.nanoseconds / 1_000_000)) {
            let remedy =
                "cluster.address must be the address at which other nodes reach this one, and http.host must listen there"
            log.warning(
                "cluster.address does not lead to this node",
                [.init("address", identity.name), .init("detail", "\(reason); \(remedy)")])
        }
        _ = loop.schedule(after: interval) { [self] in ask() }
    }
}
