package import Platform

/// An IPv4 or IPv6 address with a port, or that of a Unix socket, whose path it does not have.
package struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage = sockaddr_in6()
    private var length = socklen_t(MemoryLayout<sockaddr_in6>.size)

    /// An empty address for a system call to fill in.
    init() {}

    /// The address of every Unix socket.
    static let unix = {
        var address = SocketAddress()
        address.storage.sin6_family = sa_family_t(AF_UNIX)
        return address
    }()

    package var isUnix: Bool { family == AF_UNIX }

    /// The first address of a host, as ``all(host:port:)`` finds it.
    package init(host: String, port: UInt16) throws(SocketError) { self = try Self.all(host: host, port: port)[0] }

    private init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        self.length = length
        withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    /// The addresses of a host, at least one, in the order in which the system prefers them.
    ///
    /// - Parameters:
    ///   - host: an IPv4 or IPv6 address, or a name. Resolving a name blocks.
    ///   - port: 0 lets the system choose.
    package static func all(host: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = SystemSocket.stream
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        defer { found.map(freeaddrinfo) }
        guard code == 0 else { throw .unresolved(host: host, reason: String(cString: gai_strerror(code))) }
        let addresses = sequence(first: found) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { info in
            info.flatMap { info in
                info.pointee.ai_addrlen <= MemoryLayout<sockaddr_in6>.size
                    ? info.pointee.ai_addr.map { SocketAddress($0, length: info.pointee.ai_addrlen) } : nil
            }
        }
        if addresses.isEmpty { throw .unresolved(host: host, reason: "no IPv4 or IPv6 address") }
        return addresses
    }

    /// The address as IPv6, in network order; an IPv4 address is mapped (RFC 4291, section 2.5.5.2), and a Unix socket is 0.
    package var ipv6Bits: UInt128 {
        if isUnix { return 0 }
        guard family == AF_INET6 else {
            let address = withSockaddr { pointer, _ in
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr.s_addr }
            }
            return 0xFFFF << 32 | UInt128(UInt32(bigEndian: address))
        }
        return withUnsafeBytes(of: storage.sin6_addr) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    }

    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    package var family: Int32 { Int32(storage.sin6_family) }

    /// The port, which has the same offset in both families.
    package var port: UInt16 {
        get { UInt16(bigEndian: storage.sin6_port) }
        set { storage.sin6_port = newValue.bigEndian }
    }

    /// The numeric address without the port.
    package var host: String {
        withSockaddr { address, length in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
                let code = getnameinfo(
                    address, length, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                guard code == 0, let start = text.baseAddress else { return "?" }
                return String(cString: start)
            }
        }
    }

    /// The address as in a URL: `127.0.0.1:8080`, `[::1]:8080`.
    package var description: String {
        family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Calls `body` with the address, for a system call.
    package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Calls `body` with memory that a system call fills in.
    mutating func withMutableStorage<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        length = size
        // The path of a Unix socket is longer, and the system says how long.
        defer { length = min(length, size) }
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }
}
