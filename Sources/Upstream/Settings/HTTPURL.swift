import HTTP

/// An absolute `http` or `https` URL.
package struct HTTPURL: Sendable, Hashable {
    /// Credentials are only sent to the same origin (RFC 6454).
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

    /// True if the host is a name that must be resolved.
    var isNamed: Bool {
        // libcurl resolves localhost by itself (RFC 6761, 6.3). An IPv6 address is in brackets.
        !origin.host.hasPrefix("[") && origin.host != "localhost" && !origin.host.hasSuffix(".localhost")
            && !origin.host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}

extension HTTPURL {
    /// The URL with a request's target: its path is appended to the path, its query to the query.
    ///
    /// - Returns: nil if the target is not valid, or could lead outside the URL's path.
    package func appending(_ target: String) -> HTTPURL? {
        guard let first = target.utf8.first, "/?".utf8.contains(first), target.utf8.allSatisfy(Self.isURLByte) else {
            return nil
        }
        let (path, query) = Self.split(target[...])
        guard !path.split(separator: "/").contains(where: Self.isDotSegment) else { return nil }
        let (base, baseQuery) = Self.split(text.prefix { $0 != "#" })
        let whole = (base.hasSuffix("/") && path.hasPrefix("/") ? base.dropLast() : base) + path
        let queries = [baseQuery, query].compactMap(\.self).filter { !$0.isEmpty }
        let address = HTTPURL(queries.isEmpty ? String(whole) : "\(whole)?\(queries.joined(separator: "&"))")
        return address?.origin == origin ? address : nil
    }

    private static func split(_ text: Substring) -> (path: Substring, query: Substring?) {
        guard let mark = text.firstIndex(of: "?") else { return (text, nil) }
        return (text[..<mark], text[text.index(after: mark)...])
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    /// True if a path segment is `.` or `..`, also percent-encoded.
    private static func isDotSegment(_ segment: Substring) -> Bool {
        let plain = segment.lowercased().replacing("%2e", with: ".")
        return plain == "." || plain == ".."
    }
}
