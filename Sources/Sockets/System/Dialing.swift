import Platform

/// Connects sockets. It blocks, so it must not run on an event loop.
package enum Dialing {
    /// Opens a connection that is ready for a ``Channel``, whose owner closes it.
    ///
    /// - Parameters:
    ///   - host: an address, or a name, whose addresses are tried one after the other. Resolving a name may take longer.
    ///   - timeout: how long to wait for the other end.
    package static func connect(
        host: String, port: UInt16, within timeout: Duration
    ) throws(SocketError) -> Int32 {
        let end = ContinuousClock.now + timeout
        var failure = SocketError.unresolved(host: host, reason: "no address")
        for address in try SocketAddress.all(host: host, port: port) {
            let result = address.withSockaddr { pointer, length in
                Result { () throws(SocketError) in try connect(address.family, pointer, length, until: end) }
            }
            switch result {
            case .success(let descriptor):
                _ = SystemSocket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, to: 1)
                return descriptor
            case .failure(let error): failure = error
            }
        }
        throw failure
    }

    /// Opens a connection to a socket of this machine.
    package static func connect(path: UnixSocketPath, within timeout: Duration) throws(SocketError) -> Int32 {
        try path.withSockaddr { address, length throws(SocketError) in
            try connect(AF_UNIX, address, length, until: .now + timeout)
        }
    }

    private static func connect(
        _ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t, until end: ContinuousClock.Instant
    ) throws(SocketError) -> Int32 {
        let descriptor = socket(family, SystemSocket.stream, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        do throws(SocketError) {
            guard SystemSocket.makeNonBlocking(descriptor) else { throw .system(call: "fcntl", code: errno) }
            if Platform.connect(descriptor, address, length) != 0 {
                guard errno == EINPROGRESS || errno == EAGAIN || errno == EINTR else {
                    throw .system(call: "connect", code: errno)
                }
                try waitUntilConnected(descriptor, until: end)
            }
            return descriptor
        } catch {
            SystemSocket.close(descriptor)
            throw error
        }
    }

    /// Closes a connection that nobody takes over.
    package static func close(_ descriptor: Int32) { SystemSocket.close(descriptor) }

    private static func waitUntilConnected(_ descriptor: Int32, until end: ContinuousClock.Instant) throws(SocketError)
    {
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
