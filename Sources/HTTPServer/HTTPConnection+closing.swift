package import HTTP
import Sockets

// Connections on which no request is in progress, and connections of other servers.
extension HTTPConnection {
    /// The address of the client, or of the proxy that it uses.
    package var peer: IPAddress { forwardedClient ?? address }

    /// Whether the requests come from another server, which forwards them.
    package var isForwarded: Bool { forwardedClient != nil }

    /// The server that has forwarded the current request, by a number that the handler has given it; 0 if none has.
    package var forwarder: UInt16 { forwarderNumber }

    /// The current request was forwarded by another server.
    ///
    /// - Parameters:
    ///   - client: the address of its client.
    ///   - forwarder: the number of the other server.
    package func acceptForwarded(for client: IPAddress, by forwarder: UInt16) {
        (forwardedClient, forwarderNumber) = (client, forwarder)
    }

    /// The current request is that of the client at the other end.
    package func stopForwarding() { (forwardedClient, forwarderNumber) = (nil, 0) }

    /// Closes the connection if it is idle.
    ///
    /// - Returns: whether it was.
    @discardableResult
    func drain() -> Bool {
        guard let timeout = machine.drain() else { return false }
        if isForwarded, let notice = context.handler.closingNotice, let channel {
            write(ResponseEncoder.closing.bytes(of: notice, date: context.date), to: channel)
        }
        close(timeout, linger: .short)
        return true
    }

    /// Closes the connection, since nothing is awaited but the next request.
    func closeIdle() {
        guard isForwarded, pendingBytes == 0, drain() else { return closeNow() }
    }
}
