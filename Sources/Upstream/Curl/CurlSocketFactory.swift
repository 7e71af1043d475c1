import CCurl
package import HTTP
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
        case AF_INET:
            let bits = storage.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
            return PublicAddress.isPublic(IPAddress(ipv4: UInt32(bigEndian: bits)))
        case AF_INET6:
            let bits = withUnsafeBytes(of: storage.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
                $0.loadUnaligned(as: UInt128.self)
            }
            return PublicAddress.isPublic(IPAddress(ipv6: UInt128(bigEndian: bits)))
        default: return false
        }
    }

    /// Whether an address in text is on the public Internet.
    static func isPublic(_ text: UnsafePointer<CChar>) -> Bool {
        IPAddress(String(cString: text)).map(PublicAddress.isPublic) ?? false
    }
}

/// Distinguishes addresses of the public Internet from special-purpose ones (RFC 6890) and multicast.
package enum PublicAddress {
    private static let special = networks(
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
        "240.0.0.0/4",
        // Teredo and documentation.
        "2001::/32", "2001:db8::/32")
    /// All that is allocated of IPv6.
    private static let allocated = networks("2000::/3")
    // Networks whose addresses have an IPv4 address inside: translated ones, and 6to4.
    private static let translated = networks("64:ff9b::/96")
    private static let sixToFour = networks("2002::/16")

    package static func isPublic(_ address: IPAddress) -> Bool {
        if contains(translated, address) { return isPublic(IPAddress(ipv4: UInt32(truncatingIfNeeded: address.bits))) }
        if contains(sixToFour, address) {
            return isPublic(IPAddress(ipv4: UInt32(truncatingIfNeeded: address.bits >> 80)))
        }
        return (address.isIPv4 || contains(allocated, address)) && !contains(special, address)
    }

    private static func contains(_ networks: [AddressRange], _ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    private static func networks(_ texts: String...) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
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
