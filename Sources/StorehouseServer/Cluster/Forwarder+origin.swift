import Cluster
import HTTP
import HTTPServer

extension Forwarder {
    /// The sender of a request that has the field `Storehouse-Node`.
    ///
    /// - Parameter field: the value of that field.
    func origin(of head: RequestHead, _ field: String, on connection: HTTPConnection) -> RequestOrigin {
        if let link = connection.link as? NodeLink {
            if let node = link.sender(of: head, identity) { return .node(node) }
            connection.stopForwarding()
            return .unknown
        }
        if let hello = NodeProof.hello(in: field) {
            guard let answerer = try? identity.answer(hello) else { return .unknown }
            return .caller(NodeLink(answerer), answer: answerer.answer)
        }
        if ownAddress.receive(field) { return .itself }
        return earlierSender(of: field).map { .node($0) } ?? .unknown
    }
}

extension RequestContext {
    /// Whether another node has checked that its client is an operator.
    var hasRightOfOperator: Bool {
        guard let link = exchange.connection.link as? NodeLink, let right = head.fields.first("storehouse-right") else {
            return false
        }
        return link.gives(right, to: SignedRequest(head, request.body))
    }
}
