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

extension WebAddress {
    /// The address with what a request adds to it: a path behind its path, a query behind its query.
    /// - Returns: nil for what could lead elsewhere, or is not written as a URL is.
    package func appending(_ target: String) -> WebAddress? {
        guard let first = target.utf8.first, "/?".utf8.contains(first), target.utf8.allSatisfy(Self.isPlain) else {
            return nil
        }
        let (path, query) = Self.split(target[...])
        guard !path.split(separator: "/").contains(where: Self.isDots) else { return nil }
        let (base, baseQuery) = Self.split(text.prefix { $0 != "#" })
        let whole = (base.hasSuffix("/") && path.hasPrefix("/") ? base.dropLast() : base) + path
        let queries = [baseQuery, query].compactMap(\.self).filter { !$0.isEmpty }
        let address = WebAddress(queries.isEmpty ? String(whole) : "\(whole)?\(queries.joined(separator: "&"))")
        return address?.origin == origin ? address : nil
    }

    private static func split(_ text: Substring) -> (path: Substring, query: Substring?) {
        guard let mark = text.firstIndex(of: "?") else { return (text, nil) }
        return (text[..<mark], text[text.index(after: mark)...])
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    /// Whether a segment of a path is, or stands for, `.` or `..`.
    private static func isDots(_ segment: Substring) -> Bool {
        let plain = segment.lowercased().replacing("%2e", with: ".")
        return plain == "." || plain == ".."
    }
}
