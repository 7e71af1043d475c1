import Platform

/// A blocking socket that gives up after some seconds, so that a broken server fails a test and does not hang it.
struct Wire {
    enum Failure: Error, Equatable {
        case call(String, Int32)
        case tookTooLong
        /// A connection in memory has nothing more yet.
        case starved
        case ended
        case malformed(String)
    }

    /// In seconds. It only bounds how long a broken server is waited for: no test may need it to be short.
    static let waitTimeout = 120

    private let descriptor: Int32
    /// Has the place of the socket; nil if there is one.
    let memory: MemoryConnection?
    private var unread: [UInt8] = []
    private var position = 0

    /// Connects to a port of the loopback address.
    init(port: Int, receiveBuffer: Int32?) throws {
        memory = nil
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure.call("socket", errno) }
        setOptions()
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        try open(port)
    }

    /// Takes over a connection that was accepted.
    init(accepted descriptor: Int32) {
        self.descriptor = descriptor
        memory = nil
        setOptions()
    }

    /// A connection without a socket.
    init(_ memory: MemoryConnection) {
        descriptor = -1
        self.memory = memory
    }

    private func setOptions() {
        var waitTimeout = timeval(tv_sec: Self.waitTimeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    private func open(_ port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            shut()
            throw Failure.call("connect", code)
        }
    }

    func send(_ bytes: ArraySlice<UInt8>) throws {
        if let memory { return memory.send(Array(bytes)) }
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.send(descriptor, $0) }
            guard count > 0 else { throw errno == EAGAIN ? Failure.tookTooLong : .call("send", errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Takes more at a time from now on. With the least buffer a long answer takes half a minute.
    func enlargeReceiveBuffer() {
        var size: Int32 = 1 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends the end of our side. In memory that is the end of both.
    func finish() {
        // A client in memory cannot end its side alone.
        if let memory { return memory.close() }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes closing a reset.
    func makeReset() {
        // It is one in memory.
        guard memory == nil else { return }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    #if os(Linux)
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
    #endif

    func shut() {
        if let memory { memory.close() } else { _ = close(descriptor) }
    }

    /// Reads; what a job has read that found too little in memory can be read again.
    mutating func attempt<Result>(_ job: (inout Wire) throws -> Result) throws -> Result? {
        do {
            let result = try job(&self)
            unread.removeFirst(position)
            position = 0
            return result
        } catch Failure.starved {
            position = 0
            return nil
        }
    }

    /// The next byte.
    mutating func byte() throws -> UInt8 {
        if position == unread.count, try !fill() { throw Failure.ended }
        defer { position += 1 }
        return unread[position]
    }

    /// So many bytes.
    mutating func bytes(_ count: Int) throws -> [UInt8] {
        while unread.count - position < count {
            guard try fill() else { throw Failure.ended }
        }
        defer { position += count }
        return Array(unread[position..<position + count])
    }

    /// A line without its CR LF, which must be both.
    mutating func line() throws -> String {
        var line: [UInt8] = []
        while true {
            let byte = try byte()
            if byte == UInt8(ascii: "\n") {
                throw Failure.malformed("LF alone after \(String(decoding: line, as: UTF8.self))")
            }
            guard byte == UInt8(ascii: "\r") else {
                line.append(byte)
                continue
            }
            guard try self.byte() == UInt8(ascii: "\n") else { throw Failure.malformed("CR alone") }
            return String(decoding: line, as: UTF8.self)
        }
    }

    /// Everything up to the end of the connection. A reset is not an end.
    mutating func rest() throws -> [UInt8] {
        while try fill() {}
        defer { position = unread.count }
        return Array(unread[position...])
    }

    /// The bytes that have arrived, at least one; none at the end.
    mutating func some() throws -> [UInt8] {
        if position == unread.count, try !fill() { return [] }
        defer { position = unread.count }
        return Array(unread[position...])
    }

    private mutating func fill() throws -> Bool {
        if let memory {
            guard let bytes = memory.take() else { throw Failure.starved }
            unread += bytes
            return !bytes.isEmpty
        }
        if position == unread.count {
            unread.removeAll(keepingCapacity: true)
            position = 0
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count = -1
        // A debugger interrupts the call.
        repeat { count = recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw errno == EAGAIN ? Failure.tookTooLong : .call("recv", errno) }
        unread += buffer[..<count]
        return count > 0
    }

    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #endif
    }
}
