package import HTTP
import Locks
package import Sockets

/// An HTTP/1.1 server that listens on every loop of a group.
///
/// A connection stays on the loop that accepted it. The handler decides what each request means.
package final class HTTPServer: Sendable {
    package struct Settings: Sendable {
        package var limits = HTTPLimits()
        /// The time for a whole head, from its first byte.
        package var headerTimeout = Duration.seconds(10)
        /// The time for a whole body, from the end of its head.
        package var bodyTime = BodyTime(timeout: .seconds(30))
        /// The time between requests. A client that has taken none of its pending bytes for so long is disconnected, and so is one
        /// whose system has acknowledged none of what was sent.
        package var idleTimeout = Duration.seconds(75)
        /// Takes over a connection whose client begins with HTTP/2, or returns nil if the client may not. Nil without HTTP/2.
        package var http2: (@Sendable (HTTPConnection) -> (any StreamHandler)?)?
        /// The limit of open connections, over all loops.
        package var connectionLimit = ConnectionLimit()
        /// Limits and counts the bytes that wait for all clients together. Each server needs its own.
        package var output = OutputBudget(limit: .max)
        /// Limits and counts the bytes of unfinished requests of all clients together. Each server needs its own.
        package var input = InputBudget(limit: .max)
        /// Counts connections, requests and bytes. Servers may share it.
        package var traffic = HTTPTraffic()

        package init() {}
    }

    /// The addresses that the server listens on: `127.0.0.1:8080`, `unix:/run/storehouse.sock`.
    package let names: [String]
    /// The first of them; nil without a listener.
    private let first: SocketAddress?
    /// The files of Unix sockets.
    private let files: [SocketFile]
    private let managers: [ConnectionManager]
    private let disconnector: SlowClientDisconnector
    private let cutter: InputCutter

    /// Starts to listen on the addresses of a host, all with one port.
    ///
    /// - Parameter addresses: as ``SocketAddress/listening(host:port:)`` finds them.
    /// - Throws: ``SocketError`` if one of them cannot be bound.
    package convenience init(
        on addresses: [SocketAddress], _ group: EventLoopGroup, settings: Settings, handler: any RequestHandler
    ) throws(SocketError) {
        let sockets = try ListeningSocket.open(
            all: addresses, count: group.loops.count, unacknowledgedTime: settings.idleTimeout)
        self.init(group, settings: settings, handler: handler, listeningOn: sockets)
    }

    /// - Parameter sockets: those of each address, one for each loop; none for clients without sockets, by ``connect(_:peer:)``.
    package init(
        _ group: EventLoopGroup, settings: Settings, handler: any RequestHandler,
        listeningOn sockets: [[ListeningSocket]] = []
    ) {
        names = sockets.map { $0[0].name }
        first = sockets.first?.first?.address
        files = sockets.compactMap { $0[0].file }
        (managers, disconnector, cutter) = Self.managers(group, settings, handler)
        for (index, manager) in managers.enumerated() { manager.listen(sockets.map { $0[index] }, beside: managers) }
    }

    /// The first address that the server listens on.
    package var address: SocketAddress {
        guard let first else { preconditionFailure("the server has no listener") }
        return first
    }

    private static func managers(
        _ group: EventLoopGroup, _ settings: Settings, _ handler: any RequestHandler
    ) -> ([ConnectionManager], SlowClientDisconnector, InputCutter) {
        let count = ConnectionCount()
        let managers = group.loops.map {
            ConnectionManager(loop: $0, settings: settings, count: count, handler: handler)
        }
        let disconnector = SlowClientDisconnector(settings.output, managers)
        settings.output.whenExceeded { [weak disconnector] in disconnector?.begin() }
        let cutter = InputCutter(managers)
        settings.input.whenExceeded { [weak cutter] in cutter?.begin() }
        return (managers, disconnector, cutter)
    }

    /// Takes a client without a socket, on the first loop. On that loop only.
    ///
    /// - Returns: the channel by which `carrier` brings the bytes of the client.
    package func connect(_ carrier: any ChannelCarrier, peer: IPAddress) -> Channel {
        managers[0].accept(carrier, peer: peer, beside: managers)
    }

    /// Closes idle connections at once, and the others behind their responses. Stream handlers are asked to end.
    ///
    /// New connections are still accepted, so that clients learn that the server drains, until ``stopListening()`` or the timeout.
    /// Returns when no connection is left; those left after `timeout` are closed.
    ///
    /// - Parameter streamTime: in which time streams end at the latest; nil for a quarter of the timeout.
    package func drain(within timeout: Duration, streamTime: Duration? = nil) async {
        let loops = managers.count
        await forEachLoop { await $0.drain(within: timeout, streamTime: streamTime, loops: loops) }
    }

    /// Accepts no more connections. Returns when those that came during the drain have their responses.
    package func stopListening() async {
        for file in files { file.remove() }
        await forEachLoop { await $0.stopListening() }
    }

    private func forEachLoop(_ body: @escaping @Sendable (ConnectionManager) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for manager in managers { group.addTask { await body(manager) } }
        }
    }
}
