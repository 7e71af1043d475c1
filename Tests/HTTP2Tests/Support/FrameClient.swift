import Glibc
import Sockets

/// A frame of HTTP/2 (RFC 9113, section 4.1).
struct Frame: Equatable {
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    let kind: Kind
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]

    init(_ kind: Kind, _ stream: UInt32 = 0, flags: UInt8 = 0, _ payload: [UInt8] = []) {
        (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
    }

    /// Whether it is the last of its stream.
    var ends: Bool { (kind == .data || kind == .headers) && flags & 1 != 0 }

    var text: String { String(decoding: payload, as: UTF8.self) }

    var bytes: [UInt8] {
        [UInt8](UInt32(payload.count).bigEndianBytes[1...]) + [kind.rawValue, flags] + stream.bigEndianBytes + payload
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

/// A client with a blocking socket. It gives up after two minutes.
struct FrameClient: ~Copyable {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let descriptor: Int32

    init(_ address: SocketAddress) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var waitTimeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
        precondition(address.withSockaddr { [descriptor] in connect(descriptor, $0, $1) } == 0, "no connection")
    }

    deinit { close(descriptor) }

    /// - Parameter window: how many bytes of each stream it takes at first.
    func begin(window: UInt32 = 65535) {
        send(Self.preface + Frame(.settings, [0, 4] + window.bigEndianBytes).bytes)
    }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL.rawValue)) }

    func send(_ frames: Frame...) { send(frames.flatMap(\.bytes)) }

    func request(_ stream: UInt32, _ method: String = "GET", _ path: String, ends: Bool = true) {
        let fields = [(":method", method), (":scheme", "http"), (":authority", "localhost"), (":path", path)]
        // Literals without indexing (RFC 7541, section 6.2.2).
        var block: [UInt8] = []
        for (name, value) in fields {
            block.append(0)
            for text in [name, value] {
                block.append(UInt8(text.utf8.count))
                block += text.utf8
            }
        }
        send(Frame(.headers, stream, flags: ends ? 5 : 4, block))
    }

    private func receive(_ count: Int) -> [UInt8]? {
        var (received, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while received.count < count {
            let length = recv(descriptor, &bytes, min(bytes.count, count - received.count), 0)
            guard length > 0 else { return nil }
            received += bytes.prefix(length)
        }
        return received
    }

    /// The next frame of one of these kinds; nil at the end of the connection.
    func next(_ kinds: Frame.Kind...) -> Frame? {
        while let head = receive(9) {
            let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            guard let kind = Frame.Kind(rawValue: head[3]), let payload = receive(length) else { return nil }
            let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
            if kinds.contains(kind) { return Frame(kind, stream, flags: head[4], payload) }
        }
        return nil
    }

    /// The body of the response that comes next, with the status; nil if that is not 200, or if frames of another stream come between.
    func response(_ stream: UInt32) -> String? {
        // `:status: 200` is entry 8 of the static table.
        guard let head = next(.headers), head.stream == stream, head.payload.first == 0x88 else { return nil }
        var (body, isOver) = ("", head.ends)
        while !isOver {
            guard let frame = next(.data, .headers, .reset), frame.kind == .data, frame.stream == stream else {
                return nil
            }
            body += frame.text
            isOver = frame.ends
        }
        return body
    }
}
