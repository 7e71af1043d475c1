import CCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// The sockets of connections: libcurl asks for each with the address that it is for.
enum SocketOpening {
    /// Opens a socket that child processes do not inherit.
    static func open(_ address: curl_sockaddr) -> curl_socket_t {
        #if canImport(Darwin)
            let descriptor = socket(address.family, address.socktype, address.protocol)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return descriptor
        #else
            return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        #endif
    }

    /// Whether the address is on the public Internet.
    static func isPublic(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let storage = UnsafeRawPointer(address) + offset
        switch address.pointee.family {
        case AF_INET: return isPublic(storage.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6: return isPublic(storage.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return false
        }
    }

    /// Whether an address in text is on the public Internet.
    static func isPublic(_ text: UnsafePointer<CChar>) -> Bool {
        var short = in_addr()
        var long = in6_addr()
        if inet_pton(AF_INET, text, &short) == 1 { return isPublic(short) }
        return inet_pton(AF_INET6, text, &long) == 1 && isPublic(long)
    }

    private static func isPublic(_ address: some Any) -> Bool {
        PublicAddress.isPublic(withUnsafeBytes(of: address) { Array($0) })
    }
}
