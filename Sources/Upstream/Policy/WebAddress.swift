import HTTP

/// An absolute `http` or `https` URL.
package struct WebAddress: Sendable, Hashable {
    /// What decides whether credentials may be sent (RFC 6454).
    package struct Origin: Sendable, Hashable {
        package let scheme: String
        /// In lower case.
        package let host: String
        package let port: Int
    }

    package let text: String
    package let origin: Origin

    /// - Returns: nil for anything but an absolute `http` or `https` URL.
    package init?(_ text: String) {
        guard let url = URLParts(text), url.isWeb else { return nil }
        self.text = text
        origin = Origin(
            scheme: url.scheme, host: url.host.lowercased(), port: url.port ?? (url.scheme == "https" ? 443 : 80))
    }

    /// Whether the host is a name that has to be looked up.
    var isNamed: Bool {
        // libcurl knows the loopback by heart (RFC 6761, 6.3); an IPv6 address stands in brackets.
        !origin.host.hasPrefix("[") && origin.host != "localhost" && !origin.host.hasSuffix(".localhost")
            && !origin.host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
