import Cluster
import HTTP

/// A connection that another node has opened, from its hello on. On the loop of the connection only.
final class NodeLink {
    private enum State {
        /// The other end has said that it is a node, and has to prove it with its first request.
        case answered(LinkAnswerer)
        case proved(AnsweredLink, node: UInt16)
    }

    private var state: State

    init(_ answerer: LinkAnswerer) { state = .answered(answerer) }

    /// The number of the node that a request comes from; nil if it does not prove that it comes from one.
    func sender(of head: RequestHead, _ identity: NodeIdentity) -> UInt16? {
        switch state {
        case .proved(_, let node): return node
        case .answered(let answerer):
            guard let proof = head.fields.first("storehouse-proof"), let link = try? answerer.receive(proof) else {
                return nil
            }
            let node = identity.number(of: answerer.caller)
            state = .proved(link, node: node)
            return node
        }
    }

    /// Whether the other node gives a request the right of an operator.
    func gives(_ right: String, to request: SignedRequest) -> Bool {
        guard case .proved(var link, let node) = state else { return false }
        defer { state = .proved(link, node: node) }
        return link.gives(right, to: request)
    }
}

extension SignedRequest {
    /// A request as it travels between nodes.
    init(_ head: RequestHead, _ body: [UInt8]) {
        self.init(method: (head.method == .head ? .get : head.method).description, target: head.target, body: body)
    }
}

/// The sender of a request that claims to come from a node.
enum RequestOrigin {
    /// This node, which looks whether it can be reached.
    case itself
    /// A node that opens a connection. It gets the answer, and has sent nothing else.
    case caller(NodeLink, answer: String)
    /// A node by its number.
    case node(UInt16)
    case unknown
}
