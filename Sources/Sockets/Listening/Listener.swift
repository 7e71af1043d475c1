import Platform

/// Accepts connections on one event loop.
///
/// If the system has no descriptors or memory left, or `mayAccept` returns false, connections stay in the backlog and
/// the listener tries again after 100 ms. It never spins and never closes its socket because of an error.
package final class Listener: ReadinessHandler {
    /// The pause after a failed attempt to accept.
    private static let backoff = Duration.milliseconds(100)
    /// Limits the connections accepted in one turn, so that open connections are served in between.
    private static let maxAcceptsPerTurn = 64

    package let address: SocketAddress
    private let descriptor: Int32
    private let loop: any EventLoop
    private let mayAccept: () -> Bool
    private let full: () -> Void
    private let accepted: (AcceptedSocket) -> Void
    private var backoffTimer: LoopTimer?
    private var isOpen = true

    /// Starts accepting. On the loop only.
    /// - Parameters:
    ///   - socket: the socket to accept from. The listener owns it from now on, even if this throws.
    ///   - mayAccept: called before each connection is taken from the backlog.
    ///   - full: called when no connection can be accepted for now; the next attempt follows in 100 ms.
    ///   - accepted: called with each connection, which it then owns.
    package init(
        _ socket: ListeningSocket, on loop: any EventLoop, mayAccept: @escaping () -> Bool = { true },
        full: @escaping () -> Void = {}, accepted: @escaping (AcceptedSocket) -> Void
    ) throws(SocketError) {
        descriptor = socket.descriptor
        address = socket.address
        self.loop = loop
        self.mayAccept = mayAccept
        self.full = full
        self.accepted = accepted
        do {
            try loop.watch(descriptor, .readable, self)
        } catch {
            isOpen = false
            socket.close()
            throw error
        }
    }

    /// Closes the socket. The system refuses the connections in the backlog.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        if let backoffTimer { loop.cancel(backoffTimer) }
        loop.unwatch(descriptor)
        SystemSocket.close(descriptor)
    }

    package func loopStopped(_ descriptor: Int32) {
        close()
    }

    package func ready(_ descriptor: Int32, _ readiness: Readiness) {
        for _ in 0..<Self.maxAcceptsPerTurn where isOpen {
            guard mayAccept() else { return backOff() }
            var peer = SocketAddress()
            let new = peer.withMutableStorage { SystemSocket.acceptOne(descriptor, $0, $1) }
            if new >= 0 {
                accepted(AcceptedSocket(descriptor: new, peer: peer))
                continue
            }
            switch errno {
            case EAGAIN: return
            // This connection failed before it was accepted; the next one may succeed.
            case ECONNABORTED, EPROTO, EPERM, EINTR: continue
            // Usually the system has no descriptors or memory left. Retrying at once would spin.
            default: return backOff()
            }
        }
    }

    private func backOff() {
        guard isOpen, backoffTimer == nil else { return }
        backoffTimer = loop.schedule(after: Self.backoff) {
            self.backoffTimer = nil
            self.loop.update(self.descriptor, .readable)
        }
        loop.update(descriptor, [])
        full()
    }
}

/// A new connection: non-blocking, without Nagle's delay. The receiver owns it.
package struct AcceptedSocket: Sendable {
    package let descriptor: Int32
    /// The address of the other end.
    package let peer: SocketAddress

    /// Closes the connection. Do not call this after a `Channel` has taken it over.
    package func close() {
        SystemSocket.close(descriptor)
    }
}
