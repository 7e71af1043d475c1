import HTTP
import Sockets

// Connections on which no request is in progress.
extension HTTPConnection {
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
    ///
    /// - Parameter head: that of the request; nil if the connection begins with HTTP/2.
    func holdBack(_ head: RequestHead?) {
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
