import Platform

extension ListeningSocket {
    /// Opens a Unix socket that its owner and its group may use (mode 0660).
    ///
    /// A file that a process has left behind is replaced; one of a process that still listens, and a file that is no socket, are
    /// not.
    /// - Parameters:
    ///   - count: how many descriptors the socket gets, one for each loop. Which loop takes a connection is chance.
    ///   - backlog: how many connections the system queues.
    package static func open(
        _ path: UnixSocketPath, count: Int, backlog: Int32 = 4096
    ) throws(SocketError) -> [ListeningSocket] {
        let descriptor = socket(AF_UNIX, SystemSocket.stream, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        do throws(SocketError) {
            guard SystemSocket.makeNonBlocking(descriptor) else { throw .system(call: "fcntl", code: errno) }
            try bind(descriptor, to: path)
            // Nobody can connect before it listens.
            guard let file = SocketFile(path), chmod(path.text, 0o660) == 0, listen(descriptor, backlog) == 0 else {
                throw .system(call: "listen", code: errno)
            }
            return try ListeningSocket(unix: descriptor, "\(path)", file).copies(count)
        } catch {
            SystemSocket.close(descriptor)
            throw error
        }
    }

    private static func bind(_ descriptor: Int32, to path: UnixSocketPath) throws(SocketError) {
        func isBound() -> Bool { path.withSockaddr { Platform.bind(descriptor, $0, $1) } == 0 }
        if isBound() { return }
        var code = errno
        if code == EADDRINUSE {
            code = whyTaken(path)
            if code == 0, unlink(path.text) == 0 || errno == ENOENT {
                if isBound() { return }
                code = errno
            }
        }
        throw .system(call: "cannot listen on \(path)", code: code)
    }

    /// Why a file cannot be replaced: an `errno`; 0 if nobody listens there.
    private static func whyTaken(_ path: UnixSocketPath) -> Int32 {
        var status = stat()
        guard lstat(path.text, &status) == 0 else { return errno == ENOENT ? 0 : errno }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return ENOTSOCK }
        let client = socket(AF_UNIX, SystemSocket.stream, 0)
        guard client >= 0 else { return errno }
        defer { SystemSocket.close(client) }
        // Without waiting: a listener whose queue is full answers EAGAIN.
        guard SystemSocket.makeNonBlocking(client) else { return errno }
        let isRefused = path.withSockaddr { connect(client, $0, $1) } != 0 && errno == ECONNREFUSED
        return isRefused ? 0 : EADDRINUSE
    }

    /// Copies of the descriptor, one for each loop. This socket is the first of them.
    package func copies(_ count: Int) throws(SocketError) -> [ListeningSocket] {
        var all = [self]
        while all.count < count {
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else {
                let code = errno
                for socket in all.dropFirst() { socket.close() }
                throw .system(call: "fcntl", code: code)
            }
            all.append(ListeningSocket(copy, address, name, file))
        }
        return all
    }
}

/// The file of a Unix socket that this process has made.
package struct SocketFile: Sendable {
    /// Tells the file from one that another process has put in its place, which may have the same number.
    private struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            #if canImport(Darwin)
                let made = status.st_mtimespec
            #else
                let made = status.st_mtim
            #endif
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
            (seconds, nanoseconds) = (Int(made.tv_sec), Int(made.tv_nsec))
        }
    }

    private let path: UnixSocketPath
    private let identity: Identity

    /// Nil if there is none.
    init?(_ path: UnixSocketPath) {
        var status = stat()
        guard lstat(path.text, &status) == 0 else { return nil }
        self.path = path
        identity = Identity(status)
    }

    /// Removes the file, unless another process has put its own in its place.
    package func remove() {
        if SocketFile(path)?.identity == identity { unlink(path.text) }
    }
}
