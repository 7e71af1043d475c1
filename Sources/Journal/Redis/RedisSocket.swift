import Platform

/// A connected, non-blocking stream socket. Only one thread at a time uses it.
struct RedisSocket: Sendable {
    /// Why there is no connection.
    struct Failure: Error {
        let detail: String

        init(_ call: String, _ code: Int32 = errno) { detail = "\(call): \(String(cString: strerror(code)))" }
        init(detail: String) { self.detail = detail }
    }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
        private static let sendFlags: Int32 = 0
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    let descriptor: Int32
    /// The address of the server.
    let endpoint: RedisAddress.Endpoint

    /// Connects, and blocks the calling thread for that long. Names are resolved by the system, which may take longer.
    init(_ endpoint: RedisAddress.Endpoint, timeout: Duration) throws(Failure) {
        self.endpoint = endpoint
        switch endpoint {
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            descriptor = try withUnsafePointer(to: &address) { pointer throws(Failure) in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bare throws(Failure) in
                    try Self.connected(
                        AF_UNIX, bare, socklen_t(MemoryLayout<sockaddr_un>.size), until: .now + timeout)
                }
            }
        case .tcp(let host, let port):
            var (hints, found) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
            hints.ai_socktype = Self.stream
            let code = getaddrinfo(host, String(port), &hints, &found)
            guard code == 0, let found else {
                throw Failure(detail: "cannot resolve \(host): \(String(cString: gai_strerror(code)))")
            }
            defer { freeaddrinfo(found) }
            descriptor = try Self.connected(toOneOf: found, timeout)
            var one: Int32 = 1
            _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    private static func connected(
        toOneOf first: UnsafeMutablePointer<addrinfo>, _ timeout: Duration
    ) throws(Failure) -> Int32 {
        var failure = Failure(detail: "no address")
        var next: UnsafeMutablePointer<addrinfo>? = first
        let deadline = ContinuousClock.now + timeout
        while let info = next {
            do throws(Failure) {
                return try connected(
                    info.pointee.ai_family, info.pointee.ai_addr, info.pointee.ai_addrlen, until: deadline)
            } catch {
                failure = error
            }
            next = info.pointee.ai_next
        }
        throw failure
    }

    private static func connected(
        _ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t,
        until deadline: ContinuousClock.Instant
    ) throws(Failure) -> Int32 {
        let descriptor = socket(family, stream, 0)
        guard descriptor >= 0 else { throw Failure("socket") }
        do throws(Failure) {
            guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            else { throw Failure("fcntl") }
            if connect(descriptor, address, length) != 0 {
                guard errno == EINPROGRESS || errno == EAGAIN || errno == EINTR else { throw Failure("connect") }
                try wait(descriptor, for: POLLOUT, until: deadline)
                var code: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
                    throw Failure("getsockopt")
                }
                guard code == 0 else { throw Failure("connect", code) }
            }
            return descriptor
        } catch {
            _ = Platform.close(descriptor)
            throw error
        }
    }

    /// Blocks until the socket is ready.
    func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(Failure) {
        try Self.wait(descriptor, for: events, until: deadline)
    }

    private static func wait(
        _ descriptor: Int32, for events: Int32, until deadline: ContinuousClock.Instant
    ) throws(Failure) {
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { throw Failure(detail: "it does not answer") }
            var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&watched, 1, Int32(clamping: rest.wholeMilliseconds))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw Failure("poll") }
        }
    }

    /// Sends as much as fits now.
    ///
    /// - Returns: how many bytes were sent.
    func send(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        let count = bytes.withUnsafeBytes { Platform.send(descriptor, $0.baseAddress, $0.count, Self.sendFlags) }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR else { throw Failure("send") }
        return 0
    }

    /// Receives what has arrived.
    ///
    /// - Returns: how many bytes; nil if there are none yet.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int? {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return count }
        if count == 0 { throw Failure(detail: "it closed the connection") }
        guard errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR else { throw Failure("recv") }
        return nil
    }

    func close() { _ = Platform.close(descriptor) }
}
