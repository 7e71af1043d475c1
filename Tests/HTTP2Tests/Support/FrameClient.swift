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

    init(_ kind: Kind, of stream: UInt32 = 0, flags: UInt8 = 0, _ payload: [UInt8]) {
        (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
    }

    /// The head of a request.
    ///
    /// - Parameter length: that of the body; nil if only its end says it.
    init(headOf stream: UInt32, _ path: String, method: String = "GET", length: Int? = nil, ends: Bool = true) {
        var fields = [(":method", method), (":scheme", "http"), (":authority", "localhost"), (":path", path)]
        if let length { fields.append(("content-length", String(length))) }
        // Literals without indexing (RFC 7541, section 6.2.2).
        var block: [UInt8] = []
        for (name, value) in fields {
            block.append(0)
            for text in [name, value] {
                block.append(UInt8(text.utf8.count))
                block += text.utf8
            }
        }
        self.init(.headers, of: stream, flags: ends ? 5 : 4, block)
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

    func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    func send(_ frames: Frame...) { send(frames.flatMap(\.bytes)) }

    func request(_ stream: UInt32, _ path: String, method: String = "GET", ends: Bool = true) {
        send(Frame(headOf: stream, path, method: method, ends: ends))
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
            if kinds.contains(kind) { return Frame(kind, of: stream, flags: head[4], payload) }
        }
        return nil
    }

    /// The bodies of the responses that come next, for as many streams; without those whose status is not 200.
    func responses(_ count: Int) -> [UInt32: String] {
        var (bodies, open): ([UInt32: String], Int) = ([:], count)
        while open > 0, let frame = next(.data, .headers, .reset) {
            // `:status: 200` is entry 8 of the static table.
            if frame.kind == .headers, frame.payload.first == 0x88 { bodies[frame.stream] = "" }
            if frame.kind == .data { bodies[frame.stream]? += frame.text }
            if frame.kind == .reset { bodies[frame.stream] = nil }
            if frame.ends || frame.kind == .reset { open -= 1 }
        }
        return bodies
    }

    /// The body of the response that comes next; nil if it is that of another stream, or its status is not 200.
    func response(_ stream: UInt32) -> String? { responses(1)[stream] }
}
