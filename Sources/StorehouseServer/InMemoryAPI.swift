package import HTTP
import HTTPServer
package import Locks
package import Sessions
package import Sockets

/// The API for clients in its own process, whose requests and responses are bytes in memory.
///
/// It has no listener, no socket and no thread, and repeats nothing by itself: whoever has it calls ``sweep()`` and ``hibernate()``.
package final class InMemoryAPI: Sendable {
    private let parts: ServerParts
    private let http: HTTPServer

    init(_ parts: ServerParts) {
        self.parts = parts
        http = HTTPServer(parts.group, settings: parts.http, handler: Router(parts.api))
    }

    /// On which clients connect and are answered.
    package var loop: any EventLoop { parts.group.loops[0] }

    /// How many sessions are in memory.
    package var residentSessions: Int { parts.api.registry.residentCount }

    /// Handles requests that come in another way than by ``connect(_:peer:)``.
    package var router: Router { Router(parts.api) }

    /// Takes a client. On the loop only.
    ///
    /// - Returns: the channel by which `carrier` brings the bytes of the client.
    package func connect(_ carrier: any ChannelCarrier, peer: IPAddress) -> Channel {
        http.connect(carrier, peer: peer)
    }

    /// Ends expired sessions.
    package func sweep() {
        parts.api.registry.sweep()
        parts.api.logExpirations()
    }

    /// Lets sessions leave memory that are idle longest, if there are too many.
    package func hibernate() { parts.api.registry.hibernate() }

    /// Reports functions of stores that do not return: those that a look some seconds ago has found, too.
    package func reportStalls(in functions: Locked<RunningFunctions>) { parts.api.reportStalls(in: functions) }

    /// Closes all connections, detaches the sessions and closes the journal.
    package func close() async {
        parts.api.availability.drain()
        await http.drain(within: .zero)
        await parts.api.closeSessions()
        await parts.group.stop()
    }
}
