import Platform

extension ListeningSocket {
    /// How often another free port is tried that all addresses must have.
    private static let maxAttempts = 50

    /// Opens sockets on all addresses of a host, for each of them one for each loop.
    ///
    /// With port 0 all of them use one port. An address that this machine does not have is left out, if there is another one.
    /// - Parameters:
    ///   - addresses: at least one.
    ///   - count: the number of sockets of each address, at least one.
    ///   - unacknowledgedTime: a connection ends after this time without an acknowledgement of what was sent; nil leaves that to the
    ///     system.
    /// - Returns: the sockets by address.
    package static func open(
        all addresses: [SocketAddress], count: Int, unacknowledgedTime: Duration? = nil
    ) throws(SocketError) -> [[ListeningSocket]] {
        var attempt = 1
        while true {
            do throws(SocketError) {
                return try openOnce(addresses, count, unacknowledgedTime)
            } catch {
                // The port that is free on the first address is taken on another one.
                let isTaken = error.code == EADDRINUSE && addresses.first?.port == 0 && addresses.count > 1
                guard isTaken, attempt < maxAttempts else { throw error }
                attempt += 1
            }
        }
    }

    private static func openOnce(
        _ addresses: [SocketAddress], _ count: Int, _ unacknowledgedTime: Duration?
    ) throws(SocketError) -> [[ListeningSocket]] {
        var opened: [[ListeningSocket]] = []
        var missing = SocketError.unresolved(host: "", reason: "no address")
        for var address in addresses {
            if let first = opened.first?.first { address.port = first.address.port }
            do throws(SocketError) {
                opened.append(try open(address, count: count, unacknowledgedTime: unacknowledgedTime))
            } catch {
                missing = error
                if error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT { continue }
                for socket in opened.joined() { socket.close() }
                throw error
            }
        }
        if opened.isEmpty { throw missing }
        return opened
    }
}

extension SocketError {
    fileprivate var code: Int32? { if case .system(_, let code) = self { code } else { nil } }
}

extension SocketAddress {
    /// The addresses to listen on for a host, each once: those of IPv4 first, since the first one names the server.
    ///
    /// `localhost` has both loopback addresses, whichever of them the system knows: clients take the one or the other.
    ///
    /// - Parameters:
    ///   - host: an IPv4 or IPv6 address, or a name. Resolving a name blocks.
    ///   - port: 0 lets the system choose.
    package static func listening(host: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
        var found: [SocketAddress] = []
        if ["localhost", "localhost."].contains(host.lowercased()) {
            for loopback in ["127.0.0.1", "::1"] { found += try all(host: loopback, port: port) }
        } else {
            found = try all(host: host, port: port)
        }
        var seen: Set<String> = []
        let distinct = found.filter { seen.insert($0.description).inserted }
        return distinct.filter { $0.family == AF_INET } + distinct.filter { $0.family != AF_INET }
    }
}
