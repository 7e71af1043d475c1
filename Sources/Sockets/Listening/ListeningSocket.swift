import Platform

/// A bound, listening socket. Its owner must close it or pass it to a `Listener`, which then closes it.
package struct ListeningSocket: Sendable {
    package let descriptor: Int32
    /// The bound address, with the port that the system chose if 0 was requested.
    package let address: SocketAddress
    /// The address as configuration and log name it: `127.0.0.1:8080`, `unix:/run/storehouse.sock`.
    package let name: String
    /// The file that goes with it; nil for TCP, and for a socket that another process has opened.
    package let file: SocketFile?

    init(_ descriptor: Int32, _ address: SocketAddress, _ name: String, _ file: SocketFile?) {
        (self.descriptor, self.address, self.name, self.file) = (descriptor, address, name, file)
    }

    init(unix descriptor: Int32, _ name: String, _ file: SocketFile?) {
        self.init(descriptor, .unix, name, file)
    }

    /// Opens several TCP sockets on one address and port, one for each loop.
    ///
    /// The system distributes connections among them (`SO_REUSEPORT`). The first socket is bound without sharing, so
    /// this fails if another process listens on the address, even if that process shares it.
    /// - Parameters:
    ///   - address: the address to listen on. With port 0, all sockets use the port of the first one.
    ///   - count: the number of sockets, at least one.
    ///   - unacknowledgedTime: see ``open(all:count:unacknowledgedTime:)``.
    ///   - backlog: how many connections the system queues for each socket.
    package static func open(
        _ address: SocketAddress, count: Int, unacknowledgedTime: Duration? = nil, backlog: Int32 = 4096
    ) throws(SocketError) -> [ListeningSocket] {
        var address = address
        var opened: [ListeningSocket] = []
        do {
            for _ in 0..<max(count, 1) {
                let new = try ListeningSocket(address, shared: !opened.isEmpty, backlog: backlog)
                if let unacknowledgedTime { SystemSocket.limitUnacknowledged(new.descriptor, to: unacknowledgedTime) }
                address.port = new.address.port
                opened.append(new)
            }
        } catch {
            for socket in opened {
                socket.close()
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
            self.init(descriptor, bound, bound.description, nil)
        } catch {
            SystemSocket.close(descriptor)
            throw error
        }
    }

    private static func prepare(_ descriptor: Int32, _ wanted: SocketAddress, shared: Bool) throws(SocketError) {
        // Accepted sockets inherit TCP_NODELAY, which saves a system call for each.
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

    /// Closes the socket, and removes its file. Do not call this after a `Listener` has taken it over.
    package func close() {
        file?.remove()
        SystemSocket.close(descriptor)
    }
}
