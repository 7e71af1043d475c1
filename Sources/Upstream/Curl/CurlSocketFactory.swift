import CCurl
import Platform
import Stores

/// The sockets of connections: libcurl asks for each with the address that it is for.
enum CurlSocketFactory {
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

/// Who looks up which name, so that no name is looked up twice at a time.
///
/// libcurl's resolver takes a thread for each look-up; hundreds of calls that begin together would take hundreds. So
/// the first of them looks the name up for all, and the others wait until libcurl's cache has it.
struct DNSLookupCoalescer {
    private struct Lookup {
        let holder: ObjectIdentifier
        var waiting: [CurlTransfer] = []
    }

    private var lookups: [HTTPURL.Origin: Lookup] = [:]

    /// A transfer wants to look its name up.
    /// - Returns: false if another is at it.
    mutating func begin(_ transfer: CurlTransfer) -> Bool {
        let origin = transfer.request.address.origin
        if let lookup = lookups[origin] { return lookup.holder == ObjectIdentifier(transfer) }
        lookups[origin] = Lookup(holder: ObjectIdentifier(transfer))
        return true
    }

    /// Lets a transfer wait for the look-up that is under way.
    /// - Returns: false if it is over by now.
    mutating func wait(_ transfer: CurlTransfer) -> Bool {
        let origin = transfer.request.address.origin
        guard lookups[origin] != nil else { return false }
        lookups[origin]?.waiting.append(transfer)
        return true
    }

    /// A transfer looks nothing up any more.
    /// - Returns: who waited for it.
    mutating func end(_ transfer: CurlTransfer) -> [CurlTransfer] {
        let origin = transfer.request.address.origin
        guard lookups[origin]?.holder == ObjectIdentifier(transfer) else { return [] }
        return lookups.removeValue(forKey: origin)?.waiting ?? []
    }
}

/// libcurl as it is found when the first call is made: a dozen libraries come with it, which a server without remote
/// calls does without.
package struct CurlLibrary: Sendable {
    /// What the system calls it.
    package static let name = CCURL_LIBRARY

    private let name: String
    private let warn: @Sendable (String) -> Void
    private var hasWarned = false

    /// - Parameters:
    ///   - name: what to look for.
    ///   - warn: told once, in a sentence, if the library cannot be loaded.
    package init(name: String = Self.name, warn: @escaping @Sendable (String) -> Void = { _ in }) {
        self.name = name
        self.warn = warn
    }

    /// Loads it where it is not there yet; takes some milliseconds then.
    /// - Returns: false if it cannot be loaded. It is looked for again next time.
    mutating func load() -> Bool {
        guard let problem = ccurl_load(name) else { return true }
        if !hasWarned {
            warn("remote services cannot be called, install libcurl (Debian: libcurl4): \(String(cString: problem))")
        }
        hasWarned = true
        return false
    }
}
