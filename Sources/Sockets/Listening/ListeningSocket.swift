import Platform

/// A bound, listening TCP socket. Whoever holds it closes it, or gives it to a `Listener`, which does.
package struct ListeningSocket: Sendable {
    package let descriptor: Int32
    /// Where it really listens: with the port that the system chose, if that was 0.
    package let address: SocketAddress

    /// Opens as many sockets on one address and port, so that each loop can have its own.
    ///
    /// The system spreads connections over them (`SO_REUSEPORT`). The first is bound without sharing, so that an
    /// address that another process listens on is refused, also if that process shares it.
    /// - Parameters:
    ///   - address: where to listen; with port 0, the first socket decides for all.
    ///   - count: how many sockets.
    ///   - backlog: how many connections the system keeps waiting, for each.
    package static func open(
        _ address: SocketAddress, count: Int, backlog: Int32 = 4096
    ) throws(SocketError) -> [ListeningSocket] {
        var address = address
        var opened: [ListeningSocket] = []
        do {
            for _ in 0..<max(count, 1) {
                let new = try ListeningSocket(address, shared: !opened.isEmpty, backlog: backlog)
                address.port = new.address.port
                opened.append(new)
            }
        } catch {
            for socket in opened {
                socket.shut()
            }
            throw error
        }
        return opened
    }

    private init(_ wanted: SocketAddress, shared: Bool, backlog: Int32) throws(SocketError) {
        let descriptor = socket(wanted.family, SystemSocket.stream, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        do throws(SocketError) {
            try Self.prepare(descriptor, wanted, shared: shared)
            guard listen(descriptor, backlog) == 0 else { throw .system(call: "listen", code: errno) }
            var bound = SocketAddress()
            guard bound.withMutableStorage({ getsockname(descriptor, $0, $1) }) == 0 else {
                throw .system(call: "getsockname", code: errno)
            }
            address = bound
        } catch {
            SystemSocket.shut(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    private static func prepare(_ descriptor: Int32, _ wanted: SocketAddress, shared: Bool) throws(SocketError) {
        // Accepted sockets inherit TCP_NODELAY: no call for each.
        guard SystemSocket.makeNonBlocking(descriptor),
            SystemSocket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, to: 1),
            SystemSocket.set(descriptor, SOL_SOCKET, SO_REUSEADDR, to: 1),
            !shared || SystemSocket.set(descriptor, SOL_SOCKET, SO_REUSEPORT, to: 1)
        else { throw .system(call: "setsockopt", code: errno) }
        guard wanted.withSockaddr({ bind(descriptor, $0, $1) }) == 0 else {
            let code = errno
            throw .system(call: "cannot listen on \(wanted)", code: code)
        }
        guard shared || SystemSocket.set(descriptor, SOL_SOCKET, SO_REUSEPORT, to: 1) else {
            throw .system(call: "setsockopt", code: errno)
        }
    }

    /// Closes it, if no `Listener` owns it.
    package func shut() {
        SystemSocket.shut(descriptor)
    }
}
