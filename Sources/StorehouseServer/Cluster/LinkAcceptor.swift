import Cluster
import HTTP
import HTTPServer
import Locks
import Observability
import Sessions

/// Takes the connections of other nodes.
final class LinkAcceptor: Sendable {
    private let forwarder: Forwarder
    private let handler: any RequestHandler
    private let log: Log
    // Guards the refusals that were logged. Nothing is called while it is held.
    private let refused = Locked(RefusedNodes())
    // Guards the names of nodes with other settings, as long as they have them. Nothing is called while it is held.
    private let differing = Locked(Set<String>())
    private static let maxNodes = 4096

    /// - Parameter handler: gets the requests that other nodes forward.
    init(_ forwarder: Forwarder, handler: any RequestHandler, _ log: Log) {
        self.forwarder = forwarder
        self.handler = handler
        self.log = log
    }

    /// Whether a request may be that of a node, by its head.
    func mayAccept(_ head: RequestHead) -> Bool {
        if case .none = head.body { LinkGreeting.isAsked(in: head) } else { false }
    }

    /// Whether a request asks for such a connection.
    func isAsked(_ head: RequestHead) -> Bool { LinkGreeting.isAsked(in: head) || isOfEarlierRelease(head) }

    /// Nodes of earlier releases forward requests in another way. They must not be taken for those of clients.
    private func isOfEarlierRelease(_ head: RequestHead) -> Bool { head.fields.contains("storehouse-node") }

    /// Makes the connection of a request that of another node.
    ///
    /// - Returns: false if no node of this cluster asks for it.
    func accept(_ exchange: Exchange, _ head: RequestHead) throws(Problem) -> Bool {
        guard LinkGreeting.isAsked(in: head), let hello = head.fields.first("storehouse-link") else { return false }
        let identity = forwarder.identity
        // This node looks whether it can be reached. It needs no answer.
        if forwarder.ownAddress.receive(hello) { throw Problem(.unavailable(.notHere)) }
        let answerer: LinkAnswerer
        do throws(LinkVersion.Failure) {
            answerer = try identity.answer(hello)
        } catch {
            report(error, exchange.peer.description)
            return false
        }
        let link = AcceptedLink(answerer, identity, forwarder.waits, handler: handler) { [self] in compareSettings($0) }
        let connection = exchange.upgrade(
            to: LinkGreeting.name, [.init(LinkGreeting.field, answerer.answer)], usingReserve: true, owner: link)
        guard let connection else { throw Problem(.unavailable(.connections)) }
        link.start(on: connection)
        return true
    }

    /// Logs once that a node reads other names and roles from tokens: an actor would be another one at each of the two.
    private func compareSettings(_ node: LinkAnswerer) {
        let differs = forwarder.identity.release.differs(from: node.callerRelease)
        let isNew = differing.withLock { nodes in
            guard differs else {
                nodes.remove(node.caller)
                return false
            }
            return nodes.count < Self.maxNodes && nodes.insert(node.caller).inserted
        }
        guard isNew else { return }
        log.warning(
            "a node has other access settings",
            [
                .init("node", node.caller),
                .init("detail", "give all nodes the same access.nameClaim and access.rolesClaim"),
            ])
    }

    private func report(_ reason: LinkVersion.Failure, _ address: String) {
        let now = forwarder.now
        guard refused.withLock({ $0.isRefused(address, reason, now: now) }) else { return }
        let remedy =
            if case .version = reason {
                "run releases of one protocol together, or end that node"
            } else {
                "give all nodes one cluster.secret, and let the cluster.address of each lead to it alone"
            }
        log.warning("a node was refused", [.init("address", address), .init("detail", "\(reason); \(remedy)")])
    }
}

extension Route {
    /// Whether nodes forward requests for it to each other. The node that a client asks makes the session itself.
    func isForwarded(_ method: HTTPMethod) -> Bool {
        hasSessionID || isShared || self == .adminSessions || self == .sessions && method != .post
    }
}
