import Platform

extension ListeningSocket {
    /// The sockets with which this process was started: socket activation, as sd_listen_fds(3) of systemd describes it.
    ///
    /// - Parameters:
    ///   - environment: a variable of the process.
    ///   - first: the first descriptor; systemd's is 3.
    /// - Throws: ``SocketError`` if one of them is no stream socket that listens.
    package static func inherited(
        environment: (String) -> String?, first: Int32 = 3
    ) throws(SocketError) -> [ListeningSocket] {
        // A process that another one has started finds the variables of that one.
        guard environment("LISTEN_PID").flatMap({ Int32($0) }) == getpid(),
            let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), count > 0, count < 1024
        else { return [] }
        var sockets: [ListeningSocket] = []
        for descriptor in first..<first + count { sockets.append(try ListeningSocket(inherited: descriptor)) }
        return sockets
    }

    private init(inherited descriptor: Int32) throws(SocketError) {
        guard SystemSocket.option(descriptor, SO_ACCEPTCONN) == 1,
            SystemSocket.option(descriptor, SO_TYPE) == SystemSocket.stream, SystemSocket.makeNonBlocking(descriptor)
        else {
            throw .system(call: "descriptor \(descriptor) of LISTEN_FDS is no stream socket that listens", code: errno)
        }
        var bound = SocketAddress()
        guard bound.withMutableStorage({ getsockname(descriptor, $0, $1) }) == 0 else {
            throw .system(call: "getsockname", code: errno)
        }
        if bound.isUnix {
            self.init(unix: descriptor, Self.path(of: descriptor), nil)
        } else {
            // The connections inherit it.
            _ = SystemSocket.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, to: 1)
            self.init(descriptor, bound, bound.description, nil)
        }
    }

    private static func path(of descriptor: Int32) -> String {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return "unix:" }
        return withUnsafeBytes(of: &address.sun_path) {
            "unix:" + String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
