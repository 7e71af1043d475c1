import CPlatform
import Platform

/// The system calls on sockets, and the differences between systems.
enum SystemSocket {
    #if canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    /// Suppresses SIGPIPE: `send` reports the error.
    #if canImport(Darwin)
        static let sendFlags: Int32 = 0
    #else
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    static func close(_ descriptor: Int32) {
        _ = Platform.close(descriptor)
    }

    /// Sends one buffer: cheaper than `sendmsg` with one part.
    static func sendOne(_ descriptor: Int32, _ part: iovec) -> Int {
        send(descriptor, part.iov_base, part.iov_len, sendFlags)
    }

    /// Shuts down the sending direction: the peer reads an end of file.
    static func endOutput(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Whether the peer's system has acknowledged every byte, and the end of the output if it was sent.
    static func hasSentAll(_ descriptor: Int32) -> Bool {
        var count: Int32 = 0
        #if canImport(Darwin)
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length) == 0 && count == 0
        #else
            return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && count == 0
        #endif
    }

    /// Ends connections whose peers' systems acknowledge nothing of what was sent, or let nothing be sent, for so long: RFC 5482,
    /// section 4. Accepted sockets inherit it. Only Linux has such a limit.
    ///
    /// - Parameter time: shorter ones count as a second, since a packet that is lost is sent again after a fifth of one.
    static func limitUnacknowledged(_ descriptor: Int32, to time: Duration) {
        #if os(Linux)
            let milliseconds = Int32(clamping: max(1000, time.wholeMilliseconds))
            _ = set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, to: milliseconds)
        #endif
    }

    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, to value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// An option of the level `SOL_SOCKET`; nil if the system refuses it.
    static func option(_ descriptor: Int32, _ option: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
    }

    /// Returns and clears the socket's pending error; 0 if there is none.
    static func pendingError(_ descriptor: Int32) -> Int32 { option(descriptor, SO_ERROR) ?? errno }

    /// Makes a descriptor non-blocking and close-on-exec.
    static func makeNonBlocking(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
            && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    /// Accepts one connection, non-blocking and close-on-exec. Returns -1 and sets `errno` if there is none.
    ///
    /// - Parameters:
    ///   - peer: gets the address of the other end.
    ///   - length: the size of `peer`.
    static func acceptOne(
        _ listener: Int32, _ peer: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
    ) -> Int32 {
        #if canImport(Darwin)
            let accepted = accept(listener, peer, length)
            guard accepted >= 0 else { return -1 }
            _ = makeNonBlocking(accepted)
            _ = set(accepted, SOL_SOCKET, SO_NOSIGPIPE, to: 1)
            return accepted
        #else
            return linux_accept(listener, peer, length)
        #endif
    }
}

/// Why a socket operation failed.
package enum SocketError: Error, Hashable, CustomStringConvertible {
    /// A system call failed; `code` is its `errno`.
    case system(call: String, code: Int32)
    /// A host name could not be resolved.
    case unresolved(host: String, reason: String)
    /// The event loop has been stopped.
    case loopStopped

    package var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .unresolved(let host, let reason): "cannot resolve \(host): \(reason)"
        case .loopStopped: "the event loop has been stopped"
        }
    }
}
