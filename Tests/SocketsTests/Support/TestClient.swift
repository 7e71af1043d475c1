import Glibc
import Sockets

/// A blocking client that gives up after two minutes, so that a broken server fails a test and does not hang it.
final class TestClient: Sendable {
    struct Refused: Error, Equatable {
        let call: String
        let code: Int32
    }

    let descriptor: Int32

    init(_ address: SocketAddress, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Refused(call: "socket", code: errno) }
        var waitTimeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        guard address.withSockaddr({ connect(descriptor, $0, $1) }) == 0 else {
            throw Refused(call: "connect", code: errno)
        }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                let rest = all.dropFirst(sent)
                let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                return Glibc.send(descriptor, start, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Refused(call: "send", code: errno) }
            sent += count
        }
    }

    /// Sends the end of our stream.
    func finish() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Breaks the connection off: the peer sees a reset.
    func reset() {
        resetAtEnd()
        // Connecting to nowhere ends a connection and keeps the number, so that nobody else gets it meanwhile.
        var nowhere = sockaddr()
        nowhere.sa_family = sa_family_t(AF_UNSPEC)
        connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Makes the end of this client a reset.
    func resetAtEnd() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    /// From now on nothing reaches this end, as if its network were gone, and the system acknowledges nothing.
    func loseNetwork() {
        // A filter of one instruction, which lets no byte of any packet pass.
        var instruction = UInt64(6).littleEndian
        withUnsafeMutablePointer(to: &instruction) { instructions in
            var program = (length: UInt16(1), instructions: instructions)
            let size = socklen_t(MemoryLayout.size(ofValue: program))
            precondition(setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, size) == 0, "no filter")
        }
    }

    /// Some bytes; none at the end of the stream.
    func receive(atMost room: Int = 65_536) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: room)
        let count = recv(descriptor, &bytes, room, 0)
        guard count >= 0 else { throw Refused(call: "recv", code: errno) }
        return Array(bytes.prefix(count))
    }

    /// As many bytes as asked for; fewer at the end of the stream.
    func receive(exactly wanted: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < wanted {
            let some = try receive(atMost: min(wanted - all.count, 1 << 20))
            if some.isEmpty { break }
            all += some
        }
        return all
    }

    func receiveText(_ count: Int) throws -> String {
        String(decoding: try receive(exactly: count), as: UTF8.self)
    }

    /// Everything up to the end of the stream.
    func receiveToEnd() throws -> [UInt8] {
        try receive(exactly: .max)
    }
}
