import Platform

/// Accepts connections on one loop, and lives on it.
///
/// When the system has no descriptor or memory left, or `mayAccept` says no, it leaves connections in the backlog and
/// tries again after 100 ms: it never spins, and never gives up its socket.
package final class Listener: ReadinessHandler {
    /// How long accepting rests after a refusal.
    private static let rest = Duration.milliseconds(100)
    /// How many connections one turn accepts at most, so that those already there are served.
    private static let most = 64

    package let address: SocketAddress
    private let descriptor: Int32
    private let loop: any EventLoop
    private let mayAccept: () -> Bool
    private let accepted: (AcceptedSocket) -> Void
    private var resting: LoopTimer?
    private var isPaused = false
    private var isOpen = true

    /// Starts accepting. On the loop only.
    /// - Parameters:
    ///   - socket: what to accept from. The listener owns it from here on, also if this throws.
    ///   - mayAccept: asked before each connection is taken from the backlog.
    ///   - accepted: told about each, which it then owns.
    package init(
        _ socket: ListeningSocket, on loop: any EventLoop, mayAccept: @escaping () -> Bool = { true },
        accepted: @escaping (AcceptedSocket) -> Void
    ) throws(SocketError) {
        descriptor = socket.descriptor
        address = socket.address
        self.loop = loop
        self.mayAccept = mayAccept
        self.accepted = accepted
        do {
            try loop.watch(descriptor, .readable, self)
        } catch {
            isOpen = false
            socket.shut()
            throw error
        }
    }

    /// Leaves connections in the backlog until ``resume()``.
    package func pause() {
        isPaused = true
        setInterest()
    }

    /// Accepts again, also at once after a refusal: call it when there is room again, to save the wait.
    package func resume() {
        isPaused = false
        if let resting { loop.cancel(resting) }
        resting = nil
        setInterest()
    }

    /// Closes the socket; what is in the backlog is refused by the system.
    package func shut() {
        guard isOpen else { return }
        isOpen = false
        if let resting { loop.cancel(resting) }
        loop.unwatch(descriptor)
        SystemSocket.shut(descriptor)
    }

    package func loopStopped(_ descriptor: Int32) {
        shut()
    }

    package func ready(_ descriptor: Int32, _ readiness: Readiness) {
        for _ in 0..<Self.most where isOpen && !isPaused {
            guard mayAccept() else { return takeRest() }
            var peer = SocketAddress()
            let new = SystemSocket.acceptOne(descriptor, &peer)
            if new >= 0 {
                accepted(AcceptedSocket(descriptor: new, peer: peer))
                continue
            }
            switch errno {
            case EAGAIN: return
            // This connection failed before it was taken; the next may be well.
            case ECONNABORTED, EPROTO, EPERM, EINTR: continue
            // No descriptors or no memory left, mostly. Whatever it is, trying again at once would spin.
            default: return takeRest()
            }
        }
    }

    private func takeRest() {
        guard isOpen, resting == nil else { return }
        resting = loop.schedule(after: Self.rest) {
            self.resting = nil
            self.setInterest()
        }
        setInterest()
    }

    private func setInterest() {
        guard isOpen else { return }
        loop.update(descriptor, isPaused || resting != nil ? [] : .readable)
    }
}

/// A connection just accepted: non-blocking, without Nagle's delay, and owned by whoever is told about it.
package struct AcceptedSocket: Sendable {
    package let descriptor: Int32
    /// The other end.
    package let peer: SocketAddress

    /// Closes it at once, if it was not given to a `Channel`.
    package func shut() {
        SystemSocket.shut(descriptor)
    }
}
