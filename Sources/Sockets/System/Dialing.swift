import Platform

/// Connects sockets. It blocks, so it must not run on an event loop.
package enum Dialing {
    /// Opens a connection that is ready for a ``Channel``, whose owner closes it.
    ///
    /// - Parameters:
    ///   - address: where the other end listens.
    ///   - timeout: how long to wait for it.
    package static func connect(to address: SocketAddress, within timeout: Duration) throws(SocketError) -> Int32 {
        let descriptor = socket(address.family, SystemSocket.stream, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        do throws(SocketError) {
            guard SystemSocket.makeNonBlocking(descriptor),
                SystemSocket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, to: 1)
            else { throw .system(call: "setsockopt", code: errno) }
            if address.withSockaddr({ Platform.connect(descriptor, $0, $1) }) != 0 {
                guard errno == EINPROGRESS else { throw .system(call: "connect", code: errno) }
                try waitUntilConnected(descriptor, within: timeout)
            }
            return descriptor
        } catch {
            SystemSocket.close(descriptor)
            throw error
        }
    }

    /// Closes a connection that nobody takes over.
    package static func close(_ descriptor: Int32) { SystemSocket.close(descriptor) }

    private static func waitUntilConnected(_ descriptor: Int32, within timeout: Duration) throws(SocketError) {
        let end = ContinuousClock.now + timeout
        var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let rest = ContinuousClock.now.duration(to: end).wholeMilliseconds
            let count = poll(&watched, 1, Int32(clamping: max(0, rest)))
            if count > 0 { break }
            guard count < 0, errno == EINTR else { throw .system(call: "connect", code: ETIMEDOUT) }
        }
        let code = SystemSocket.pendingError(descriptor)
        guard code == 0 else { throw .system(call: "connect", code: code) }
    }
}
