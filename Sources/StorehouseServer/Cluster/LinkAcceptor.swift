import Cluster
import HTTP
import HTTPServer
import Sessions

/// Takes the connections of other nodes.
final class LinkAcceptor: Sendable {
    private let forwarder: Forwarder
    private let handler: any RequestHandler

    /// - Parameter handler: gets the requests that other nodes forward.
    init(_ forwarder: Forwarder, handler: any RequestHandler) {
        self.forwarder = forwarder
        self.handler = handler
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
        guard let answerer = try? identity.answer(hello) else { return false }
        let link = AcceptedLink(answerer, identity, heartbeat: forwarder.heartbeat, handler: handler)
        let connection = exchange.upgrade(
            to: LinkGreeting.name, [.init(LinkGreeting.field, answerer.answer)], usingReserve: true, owner: link)
        guard let connection else { throw Problem(.unavailable(.connections)) }
        link.start(on: connection, provedWithin: forwarder.waits.proof)
        return true
    }
}

extension Route {
    /// Whether nodes forward requests for it to each other.
    var isForwarded: Bool { hasSessionID || isShared || self == .adminSessions }
}
