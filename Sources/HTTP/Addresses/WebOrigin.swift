/// Scheme, host and port of a page (RFC 6454): equal values mean the same origin.
package struct WebOrigin: Sendable, Hashable {
    package let scheme: String
    /// In lower case, as browsers write it; an IPv6 address in its canonical form with brackets. A name with a final dot is
    /// another host: browsers keep the two apart.
    package let host: String
    /// Nil for the port of the scheme.
    package let port: Int?

    /// Parses the value of an `Origin` field; nil for `null` and any other value that is no single origin. No browser sends
    /// upper case.
    package init?(_ text: String) {
        guard let url = URLParts(text), url.isOrigin, text.utf8.starts(with: url.scheme.utf8),
            let host = HostName.canonical(url.host)
        else { return nil }
        scheme = url.scheme
        self.host = url.host.hasSuffix(".") ? host + "." : host
        port = url.port == Self.standardPorts[url.scheme] ? nil : url.port
    }

    /// The origin of a server by the host and port that a client asked for; nil if they are malformed.
    package init?(scheme: String, authority: String) {
        // An empty port is the port of the scheme (RFC 3986, section 3.2.3). A client may ask for the host in any case.
        let authority = authority.hasSuffix(":") ? String(authority.dropLast()) : authority
        self.init("\(scheme)://\(authority.lowercased())")
    }

    private static let standardPorts = ["http": 80, "https": 443]
}

/// The names by which clients may ask for the server.
///
/// A page that rebinds its own name to the server's address still sends that name in `Host`.
package struct AllowedHosts: Sendable, Hashable {
    /// Nil if every host is allowed.
    private let names: Set<String>?
    /// The allowed names as bytes, so that a usual request is compared without a string.
    private let spellings: [[UInt8]]
    /// Whether a client of a Unix socket may name any host.
    private let isForNetworks: Bool

    /// Every host is allowed.
    package static let all = AllowedHosts(names: nil)

    /// - Parameters:
    ///   - names: host names and IP addresses without a port; `*` allows every host.
    ///   - isForNetworks: whether a client of a Unix socket may name any host: no page of a browser reaches one.
    package init(_ names: [String], isForNetworks: Bool = false) {
        let all = names.contains("*")
        self.init(names: all ? nil : Set(names.compactMap(HostName.canonical)), isForNetworks: isForNetworks)
    }

    private init(names: Set<String>?, isForNetworks: Bool = false) {
        self.isForNetworks = isForNetworks
        self.names = names
        spellings = (names ?? []).sorted().map { Array($0.utf8) }
    }

    /// Whether a request may be answered: its target or its Host field names an allowed host, with any port. An HTTP/1.0
    /// request without either is allowed, because no browser sends it.
    package func allows(_ head: RequestHead, from peer: @autoclosure () -> IPAddress) -> Bool {
        guard let names else { return true }
        if head.asks(forOneOf: spellings) { return true }
        if isForNetworks, peer() == .unixSocket { return true }
        guard let authority = head.authority else { return true }
        // With any port, also one that is none.
        guard let host = URLParts.split(authority[...])?.host else { return false }
        return HostName.canonical(String(host)).map(names.contains) ?? false
    }
}

/// Host names and IP addresses in one spelling.
package enum HostName {
    /// The name in lower case, without the final dot of the DNS root; an IPv6 address with brackets; nil if it is malformed.
    package static func canonical(_ text: String) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if isBracketed || text.contains(":") {
            let address = IPAddress(isBracketed ? text.dropFirst().dropLast() : text[...])
            return text.contains(":") ? address.map { "[\($0)]" } : nil
        }
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let isValid = !name.isEmpty && !name.hasSuffix(".") && name.utf8.allSatisfy { HostName.allowed.contains($0) }
        return isValid ? name.lowercased() : nil
    }

    /// As `URLParts` allows: no percent-encoding, so that every parser finds the same host.
    private static let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._".utf8)
}
