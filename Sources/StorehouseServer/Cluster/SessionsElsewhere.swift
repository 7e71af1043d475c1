import JSON
import Locks
import Sessions

/// Asks the other nodes for the documents of their sessions: only the node that has a session knows its streams and effects.
struct SessionsElsewhere: Sendable {
    private let forwarder: Forwarder

    /// - Parameter forwarder: nil outside of a cluster, which has no sessions elsewhere.
    init?(_ forwarder: Forwarder?) {
        guard let forwarder else { return nil }
        self.forwarder = forwarder
    }

    /// Forwards the request for a page of sessions to the nodes that have some of them. Called on the loop of the connection.
    ///
    /// - Parameter nodes: the nodes that have the sessions of the page, by the ids of these.
    /// - Returns: nil if no other node has to be asked, or if the request comes from one.
    func pages(of nodes: [String: String], _ pending: PendingRequest) async -> PagesElsewhere? {
        let others = Set(nodes.values).filter {
            $0 != forwarder.identity.name && !forwarder.isGone($0)
        }
        guard !others.isEmpty, let context = pending.here, !context.isForwarded else { return nil }
        var bodies: [String: [UInt8]] = [:]
        for (node, body) in forwarder.ask(others, context) { bodies[node] = await body.value() }
        return bodies.isEmpty ? nil : PagesElsewhere(nodes: nodes, bodies: bodies)
    }
}

extension SessionDocument {
    /// The process that knows more of the session; nil if none does.
    var source: String? { node }
}

/// A page of sessions as each of several nodes shows it.
struct PagesElsewhere: Sendable {
    fileprivate let nodes: [String: String]
    /// By the names of the nodes.
    fileprivate let bodies: [String: [UInt8]]

    /// The documents of the sessions, by id, that the node that has them shows.
    func documents() -> [String: JSONValue] {
        var documents: [String: JSONValue] = [:]
        for (node, body) in bodies {
            guard let page = try? JSONValue(parsing: body), let shown = page["sessions"]?.asArray else { continue }
            for document in shown {
                guard let id = document["id"]?.asString, nodes[id] == node else { continue }
                documents[id] = document
            }
        }
        return documents
    }
}
