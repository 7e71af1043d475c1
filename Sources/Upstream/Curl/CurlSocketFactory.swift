import CCurl
import Platform
import Stores

/// Opens the sockets of libcurl's connections.
enum CurlSocketFactory {
    /// Opens a socket for an address. Child processes do not inherit it.
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

/// Distinguishes addresses of the public Internet from special-purpose ones (RFC 6890) and multicast.
package enum PublicAddress {
    private static let privateBlocks4: [(UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16),
        (0xac10_0000, 12), (0xc000_0000, 24), (0xc000_0200, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
        (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 4), (0xf000_0000, 4),
    ]

    /// - Parameter bytes: 4 of an IPv4 address or 16 of an IPv6 address, in network order.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: isPublic(number(bytes))
        case 16: isPublic6(bytes)
        default: false
        }
    }

    private static func isPublic(_ address: UInt32) -> Bool {
        !privateBlocks4.contains { block, bits in (address ^ block) >> (32 - bits) == 0 }
    }

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        // IPv4 inside: mapped (and the unspecified and the loopback address), translated, 6to4.
        if bytes[..<10].allSatisfy({ $0 == 0 }) { return isMapped(bytes) && isPublic(number(bytes[12...])) }
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b]) { return isPublic(number(bytes[12...])) }
        if bytes.starts(with: [0x20, 0x02]) { return isPublic(number(bytes[2..<6])) }
        // Only 2000::/3 is allocated; documentation and Teredo are in it.
        return bytes[0] & 0xe0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0x0d, 0xb8])
            && !bytes.starts(with: [0x20, 0x01, 0, 0])
    }

    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes[10] == 0xff && bytes[11] == 0xff
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Lets one transfer resolve a name for all, so that no name is resolved twice at a time.
///
/// libcurl's resolver uses a thread for each lookup, and hundreds of calls that start together would use hundreds. The
/// first one resolves the name, and the others wait until libcurl's cache contains it.
struct DNSLookupCoalescer {
    private struct Lookup {
        let holder: ObjectIdentifier
        var waiting: [CurlTransfer] = []
    }

    private var lookups: [HTTPURL.Origin: Lookup] = [:]

    /// Starts the lookup of a transfer's name.
    ///
    /// - Returns: false if another transfer already resolves it.
    mutating func begin(_ transfer: CurlTransfer) -> Bool {
        let origin = transfer.request.address.origin
        if let lookup = lookups[origin] { return lookup.holder == ObjectIdentifier(transfer) }
        lookups[origin] = Lookup(holder: ObjectIdentifier(transfer))
        return true
    }

    /// Adds a transfer to those that wait for the lookup under way.
    ///
    /// - Returns: false if the lookup has ended.
    mutating func wait(_ transfer: CurlTransfer) -> Bool {
        let origin = transfer.request.address.origin
        guard lookups[origin] != nil else { return false }
        lookups[origin]?.waiting.append(transfer)
        return true
    }

    /// Ends the lookup of a transfer.
    ///
    /// - Returns: the transfers that waited for it.
    mutating func end(_ transfer: CurlTransfer) -> [CurlTransfer] {
        let origin = transfer.request.address.origin
        guard lookups[origin]?.holder == ObjectIdentifier(transfer) else { return [] }
        return lookups.removeValue(forKey: origin)?.waiting ?? []
    }
}

/// libcurl, loaded for the first call, because a server without remote calls does not need the dozen libraries that come
/// with it.
package struct CurlLibrary: Sendable {
    /// The library's name on this system.
    package static let name = CCURL_LIBRARY

    private let name: String
    private let hasFreeDescriptor: @Sendable () -> Bool
    private let warn: @Sendable (String) -> Void
    private var warned: Set<String> = []

    /// - Parameters:
    ///   - name: the file name of the library.
    ///   - warn: called once for each reason for which the library cannot be loaded.
    ///   - hasFreeDescriptor: whether the process can open a file.
    package init(
        name: String = Self.name, warn: @escaping @Sendable (String) -> Void = { _ in },
        hasFreeDescriptor: @escaping @Sendable () -> Bool = Self.canOpenFile
    ) {
        self.name = name
        self.hasFreeDescriptor = hasFreeDescriptor
        self.warn = warn
    }

    /// Loads the library if it is not loaded yet, which takes some milliseconds.
    ///
    /// - Returns: the reason if it cannot be loaded. The next call tries again.
    mutating func load() -> TransferFailure? {
        guard let problem = ccurl_load(name).map({ String(cString: $0) }) else { return nil }
        // Without a free descriptor the system does not find a library that is there.
        let failure: TransferFailure = hasFreeDescriptor() ? .noLibrary : .noDescriptors
        if warned.insert(failure.reason).inserted {
            let advice = hasFreeDescriptor() ? "install libcurl (Debian: libcurl4)" : failure.reason
            warn("remote services cannot be called, \(advice): \(problem)")
        }
        return failure
    }

    /// Whether the process can open a file.
    @Sendable package static func canOpenFile() -> Bool {
        let descriptor = Platform.open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
        _ = close(descriptor)
        return true
    }
}
