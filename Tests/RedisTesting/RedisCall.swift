#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One command on a connection of its own. A process for each command, such as redis-cli, would cost a hundred times as much.
struct RedisCall {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    struct Malformed: Error {}

    private let descriptor: Int32
    private var unread: ArraySlice<UInt8> = []

    /// The reply as redis-cli shows it to other programs.
    static func reply(to words: [String], at path: String) throws -> String {
        var call = try RedisCall(path)
        defer { _ = close(call.descriptor) }
        try call.send(words)
        return try call.reply()
    }

    private init(_ path: String) throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        // No process that a test starts meanwhile inherits it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var waitTimeout = timeval(tv_sec: 120, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &waitTimeout, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            let failure = Failure(call: "connect", code: errno)
            _ = close(descriptor)
            throw failure
        }
    }

    private func send(_ words: [String]) throws {
        var text = "*\(words.count)\r\n"
        for word in words { text += "$\(word.utf8.count)\r\n\(word)\r\n" }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                    Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                #else
                    Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
                #endif
            }
            guard count > 0 else { throw Failure(call: "send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    private mutating func reply() throws -> String {
        let line = try line()
        let text = String(line.dropFirst())
        switch line.first {
        case "+", "-", ":": return text
        case "$":
            guard let count = Int(text) else { throw Malformed() }
            guard count >= 0 else { return "" }
            while unread.count < count + 2 { try receive() }
            defer { unread = unread.dropFirst(count + 2) }
            return String(decoding: unread.prefix(count), as: UTF8.self)
        case "*":
            guard let count = Int(text) else { throw Malformed() }
            var parts: [String] = []
            for _ in 0..<max(0, count) { parts.append(try reply()) }
            return parts.joined(separator: "\n")
        default: throw Malformed()
        }
    }

    private mutating func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: 0x0a) {
                defer { unread = unread[(end + 1)...] }
                return String(decoding: unread[..<end].dropLast(), as: UTF8.self)
            }
            try receive()
        }
    }

    private mutating func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count = -1
        repeat { count = recv(descriptor, &buffer, buffer.count, 0) } while count < 0 && errno == EINTR
        guard count > 0 else { throw Failure(call: "recv", code: count == 0 ? 0 : errno) }
        unread += buffer[..<count]
    }
}
