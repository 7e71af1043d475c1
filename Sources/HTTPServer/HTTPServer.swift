package import HTTP
import Locks
package import Sockets

/// Listens on every loop of a group, and speaks HTTP/1.1 with whoever connects.
///
/// A connection lives and dies on the loop that accepted it. What a request means is the handler's.
package final class HTTPServer: Sendable {
    package struct Settings: Sendable {
        package var limits = HTTPLimits()
        /// For the whole head, from its first byte.
        package var headerTimeout = Duration.seconds(10)
        /// For the whole body, from the end of the head.
        package var bodyTimeout = Duration.seconds(30)
        /// Between requests; also how long an answer may be stuck with a client that does not read.
        package var idleTimeout = Duration.seconds(60)
        /// Connections over all loops.
        package var maxConnections = Int.max

        package init() {}
    }

    /// Where it listens.
    package let address: SocketAddress
    private let loops: [ConnectionManager]

    /// Starts to listen.
    ///
    /// - Throws: ``SocketError`` where the address cannot be had.
    package init(
        on address: SocketAddress, _ group: EventLoopGroup, settings: Settings, handler: any RequestHandler
    ) throws(SocketError) {
        let sockets = try ListeningSocket.open(address, count: group.loops.count)
        self.address = sockets.first?.address ?? address
        let count = ConnectionCount()
        loops = group.loops.map { ConnectionManager(loop: $0, settings: settings, count: count, handler: handler) }
        for (socket, connections) in zip(sockets, loops) { connections.listen(socket) }
    }

    /// Ends what is idle at once and everything else once it is answered; streams are told why.
    ///
    /// New connections are still answered, so that whoever asks learns that the server drains.
    /// - Returns: when no connection with work is left, or after `deadline`; what is left then is cut.
    package func drain(within deadline: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for connections in loops { group.addTask { await connections.drain(within: deadline) } }
        }
    }
}

/// Decides what a request means.
package protocol RequestHandler: AnyObject, Sendable {
    /// Answers a request, at once or later. Called on the connection's loop.
    func handle(_ request: Request, _ exchange: Exchange)

    /// The answer to what is no request, or does not come in time.
    func response(to failure: RequestFailure) -> Response
}

/// A request, whole.
package struct Request: Sendable {
    package let head: RequestHead
    package let body: [UInt8]
}
