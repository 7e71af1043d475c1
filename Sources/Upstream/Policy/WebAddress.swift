import CCurl

/// An absolute `http` or `https` URL, as libcurl understands it.
package struct WebAddress: Sendable, Hashable {
    /// What decides whether credentials may be sent (RFC 6454).
    package struct Origin: Sendable, Hashable {
        package let scheme: String
        /// In lower case.
        package let host: String
        package let port: String
    }

    package let text: String
    package let origin: Origin

    /// - Returns: nil for anything but an absolute `http` or `https` URL.
    package init?(_ text: String) {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: url)?.lowercased(),
            scheme == "http" || scheme == "https",
            let host = Self.part(CURLUPART_HOST, of: url), !host.isEmpty,
            let port = Self.part(CURLUPART_PORT, of: url)
        else { return nil }
        self.text = text
        origin = Origin(scheme: scheme, host: host.lowercased(), port: port)
    }

    /// Whether the host is a name that has to be looked up.
    var isNamed: Bool {
        // libcurl knows the loopback by heart (RFC 6761, 6.3); an IPv6 address stands in brackets.
        !origin.host.hasPrefix("[") && origin.host != "localhost" && !origin.host.hasSuffix(".localhost")
            && !origin.host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
