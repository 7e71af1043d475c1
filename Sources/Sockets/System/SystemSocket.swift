import CLinux
import Platform

/// The system calls on sockets, with what differs between systems in one place.
enum SystemSocket {
    #if canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    /// Never raise SIGPIPE: the answer of `send` says enough.
    #if canImport(Darwin)
        static let sendFlags: Int32 = 0
    #else
        static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    static func shut(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    /// Sends from one place: cheaper than a message of one part.
    static func sendOne(_ descriptor: Int32, _ part: iovec) -> Int {
        send(descriptor, part.iov_base, part.iov_len, sendFlags)
    }

    /// Ends our side of the stream; the peer reads to the end.
    static func endOutput(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, to value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// The error that waits on the socket, which this call also clears; 0 for none.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    /// Makes a descriptor non-blocking and closed in child processes.
    static func makeNonBlocking(_ descriptor: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
            && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    /// Accepts one connection, non-blocking and closed in child processes; -1 with `errno` for none.
    static func acceptOne(_ listener: Int32, _ peer: inout SocketAddress) -> Int32 {
        peer.withMutableStorage { address, length in
            #if canImport(Darwin)
                let accepted = accept(listener, address, length)
                guard accepted >= 0 else { return -1 }
                _ = makeNonBlocking(accepted)
                _ = set(accepted, SOL_SOCKET, SO_NOSIGPIPE, to: 1)
                return accepted
            #else
                return clinux_accept(listener, address, length)
            #endif
        }
    }
}

/// Why the operating system, or a loop that has ended, refused a socket operation.
package enum SocketError: Error, Hashable, CustomStringConvertible {
    /// A system call failed with this `errno`.
    case system(call: String, code: Int32)
    /// A host name or port could not be turned into an address.
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
