/// The parts of a URL with an authority (RFC 3986, section 3) that policies need.
///
/// Ambiguous hosts are rejected, so that every URL parser finds the same host: no second `@`, no percent-encoding and
/// only ASCII in a name.
package struct URLParts {
    /// The scheme in lower case.
    package let scheme: String
    package let hasUserInfo: Bool
    /// The host as it is written, an IPv6 address with its brackets.
    package let host: String
    /// Nil if the URL has no port.
    package let port: Int?
    /// Whether nothing follows the authority.
    package let endsWithAuthority: Bool
    /// Whether path, query and fragment contain valid URL bytes only. The targets of redirects often do not.
    package let isStrict: Bool

    /// Nil for an invalid URL: without a host, with spaces or control characters, or with an invalid port.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy(Self.isVisible), let separator = text.utf8.firstRange(of: "://".utf8) else {
            return nil
        }
        scheme = text[..<separator.lowerBound].lowercased()
        let rest = text[separator.upperBound...]
        let end = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        endsWithAuthority = end == rest.endIndex
        isStrict = rest[end...].utf8.allSatisfy(Self.isURLByte)
        let authority = rest[..<end]
        let at = authority.firstIndex(of: "@")
        hasUserInfo = at != nil
        let address = at.map { authority[authority.index(after: $0)...] } ?? authority
        guard Self.isScheme(scheme), authority[..<(at ?? authority.startIndex)].utf8.allSatisfy(Self.isURLByte),
            let split = Self.split(address)
        else { return nil }
        host = String(split.host)
        port = split.port.flatMap(Self.port)
        if split.port != nil, port == nil { return nil }
    }

    /// Whether the scheme is `http` or `https`.
    package var isWeb: Bool { scheme == "http" || scheme == "https" }

    /// Whether the URL has the form of an `Origin` field (RFC 6454, section 6.2): host and scheme in lower case.
    package var isOrigin: Bool { endsWithAuthority && !hasUserInfo && host == host.lowercased() }

    /// The host and the text behind its colon; nil if the host is malformed.
    static func split(_ address: Substring) -> (host: Substring, port: Substring?)? {
        if address.hasPrefix("[") {
            guard let close = address.firstIndex(of: "]") else { return nil }
            let host = address[...close]
            let rest = address[address.index(after: close)...]
            guard host.utf8.dropFirst().dropLast().allSatisfy(isIPv6Byte), host.contains(":") else { return nil }
            return rest.isEmpty ? (host, nil) : rest.hasPrefix(":") ? (host, rest.dropFirst()) : nil
        }
        let colon = address.firstIndex(of: ":") ?? address.endIndex
        let host = address[..<colon]
        guard !host.isEmpty, host.utf8.allSatisfy(isNameByte) else { return nil }
        return (host, colon == address.endIndex ? nil : address[address.index(after: colon)...])
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy(isDigit), let port = Int(text), (1...65535).contains(port) else { return nil }
        return port
    }

    private static func isScheme(_ text: String) -> Bool {
        text.utf8.first.map(isLetter) == true
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._".utf8.contains(byte)
    }

    private static func isIPv6Byte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) || ":.".utf8.contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
