import CPlatform
import Platform

/// The few system calls that the tests' own service needs.
package enum TestSocket {
    package struct Failure: Error {
        let call: String
        let code: Int32

        package init(call: String, code: Int32) {
            self.call = call
            self.code = code
        }
    }

    #if canImport(Glibc)
        package static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        package static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif

    /// Listens on the loopback address.
    ///
    /// - Parameter port: 0 for a free one.
    package static func listen(on port: UInt16 = 0, backlog: Int32 = 1024) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        #if canImport(Glibc)
            let isListening = isBound && Glibc.listen(descriptor, backlog) == 0
        #else
            let isListening = isBound && Darwin.listen(descriptor, backlog) == 0
        #endif
        guard isListening else { throw Failure(call: "listen", code: errno) }
        makeNonBlocking(descriptor)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Begins to connect to a port of the loopback address, and waits for nothing.
    package static func connect(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        makeNonBlocking(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #if canImport(Glibc)
                    _ = Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
                #else
                    _ = Darwin.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
                #endif
            }
        }
        return descriptor
    }

    package static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
            guard Glibc.pipe(&ends) == 0 else { throw Failure(call: "pipe", code: errno) }
        #else
            guard Darwin.pipe(&ends) == 0 else { throw Failure(call: "pipe", code: errno) }
        #endif
        makeNonBlocking(ends[0])
        return (ends[0], ends[1])
    }

    private static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    package static func accept(_ listener: Int32) -> Int32? {
        #if canImport(Glibc)
            let descriptor = Glibc.accept(listener, nil, nil)
        #else
            let descriptor = Darwin.accept(listener, nil, nil)
        #endif
        guard descriptor >= 0 else { return nil }
        makeNonBlocking(descriptor)
        return descriptor
    }

    static func entry(_ descriptor: Int32, writes: Bool) -> pollfd {
        pollfd(fd: descriptor, events: Int16(POLLIN) | (writes ? Int16(POLLOUT) : 0), revents: 0)
    }

    /// The bytes that have arrived; empty at the end and after an error, nil for nothing yet.
    package static func read(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { return errno == EAGAIN ? nil : [] }
        return Array(buffer.prefix(count))
    }

    /// How much was sent; nil if the connection is gone.
    package static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Int? {
        #if canImport(Glibc)
            let count = Glibc.send(descriptor, bytes, bytes.count, noSignal)
        #else
            let count = Darwin.send(descriptor, bytes, bytes.count, noSignal)
        #endif
        return count >= 0 ? count : errno == EAGAIN ? 0 : nil
    }

    /// Makes closing the descriptor a reset.
    package static func makeReset(_ descriptor: Int32) {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    package static func poke(_ descriptor: Int32) {
        var byte: UInt8 = 1
        _ = write(descriptor, &byte, 1)
    }

    package static func drain(_ descriptor: Int32) {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        #if canImport(Glibc)
            while Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
        #else
            while Darwin.read(descriptor, &bytes, bytes.count) > 0 {}
        #endif
    }

    package static func shut(_ descriptor: Int32) {
        _ = close(descriptor)
    }
}
