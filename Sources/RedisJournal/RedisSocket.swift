import Platform
import Sockets

/// A connected, non-blocking stream socket. Only one thread at a time uses it.
struct RedisSocket: Sendable {
    /// Why there is no connection.
    struct Failure: Error {
        let detail: String

        init(_ call: String, _ code: Int32 = errno) { detail = "\(call): \(String(cString: strerror(code)))" }
        init(detail: String) { self.detail = detail }
    }

    #if canImport(Darwin)
        private static let sendFlags: Int32 = 0
    #else
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    let descriptor: Int32
    /// The address of the server.
    let endpoint: RedisAddress.Endpoint

    /// Connects, and blocks the calling thread for that long. Names are resolved by the system, which may take longer.
    init(_ endpoint: RedisAddress.Endpoint, timeout: Duration) throws(Failure) {
        self.endpoint = endpoint
        do throws(SocketError) {
            switch endpoint {
            case .unix(let path): descriptor = try Dialing.connect(path: path, within: timeout)
            case .tcp(let host, let port):
                descriptor = try Dialing.connect(host: host, port: UInt16(clamping: port), within: timeout)
            }
        } catch {
            throw Failure(detail: error.description)
        }
    }

    /// Blocks until the socket is ready.
    func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(Failure) {
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
