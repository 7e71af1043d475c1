package import HTTP
import Sockets

// Connections on which no request is in progress, and connections of other servers.
extension HTTPConnection {
    /// The address of the client, or of the proxy that it uses.
    package var peer: IPAddress { forwarding?.client ?? address }

    /// Whether the requests come from another server, which forwards them.
    package var isForwarded: Bool { forwarding?.client != nil }

    /// The handler's object for the server at the other end, whose requests are forwarded ones; nil for a client.
    package var link: AnyObject? { forwarding?.link }

    /// The other end says that it is a server. Its next requests tell what becomes of the connection.
    package func startLink(_ link: AnyObject) { forwarding = Forwarding(nil, by: 0, link) }

    /// The server that has forwarded the current request, by a number that the handler has given it; 0 if none has.
    package var forwarder: UInt16 { forwarding?.forwarder ?? 0 }

    /// The current request was forwarded by another server.
    ///
    /// - Parameters:
    ///   - client: the address of its client.
    ///   - forwarder: the number of the other server.
    package func acceptForwarded(for client: IPAddress, by forwarder: UInt16) {
        if let forwarding, forwarding.client == client, forwarding.forwarder == forwarder { return }
        forwarding = Forwarding(client, by: forwarder, link)
    }

    /// The current request is that of the client at the other end, which is no server then.
    package func stopForwarding() { forwarding = nil }

    /// Closes the connection if it is idle. It is not if the next request has arrived and was not read yet: that one is answered.
    ///
    /// The client sees the end of the responses first, and not a reset, which could discard the last response on its way.
    ///
    /// - Returns: whether it was.
    @discardableResult
    func drain() -> Bool {
        if isHeldBack {
            makeWay()
            return true
        }
        guard machine.awaitsRequest, channel?.hasUnreadInput != true, let timeout = machine.drain() else {
            return false
        }
        if forwarding != nil, let notice = context.handler.closingNotice, let channel {
            write(ResponseEncoder.closing.bytes(of: notice, date: context.date), to: channel)
        }
        close(timeout, linger: .short)
        return true
    }

    /// Closes the connection, since nothing is awaited but the next request, or the rest of it.
    func closeIdle() {
        guard pendingBytes == 0, machine.awaitsRequest, !isHeldBack else { return closeNow() }
        // A request that has just come is read in the next turn. What is no request must not keep the connection.
        if !drain() { startTimeout(.idle) }
    }

    /// Whether its first request waits until there is room for the connection.
    var isHeldBack: Bool { if case .heldBack? = partial { true } else { false } }

    /// Leaves the first request unread until there is room for the connection.
    func holdBack(_ head: RequestHead) {
        partial = .heldBack(head)
        channel?.pauseReading()
    }

    /// There is room for the connection, so that its first request is handled.
    func goOn() {
        partial = nil
        channel?.resumeReading()
    }

    /// Ends a connection beyond the limit for a newer one. If its request is known, the client learns why.
    func makeWay() {
        if isHeldBack { refuseUnfinished { .overloaded($0) } } else { closeNow() }
    }
}

/// A connection on which another server forwards requests: that server, and the client of the newest request.
///
/// A class, so that the connections of clients, which are nearly all, need no memory for it.
final class Forwarding {
    /// Nil as long as no request was forwarded.
    let client: IPAddress?
    let forwarder: UInt16
    let link: AnyObject?

    init(_ client: IPAddress?, by forwarder: UInt16, _ link: AnyObject?) {
        self.client = client
        self.forwarder = forwarder
        self.link = link
    }
}
