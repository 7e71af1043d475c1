/// A URL with an authority (RFC 3986, section 3), taken apart as far as a configuration has to judge it.
struct URLParts {
    let scheme: String
    let hasUserInfo: Bool
    let host: String
    /// True where nothing follows the authority.
    let endsWithAuthority: Bool

    /// Nil for what is no such URL: one without a host, with bytes that a URL does not have, with a port that none is.
    init?(_ text: String) {
        guard text.utf8.allSatisfy(Self.isURLByte), let separator = text.firstRange(of: "://") else { return nil }
        scheme = text[..<separator.lowerBound].lowercased()
        let rest = text[separator.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        endsWithAuthority = end == rest.endIndex
        let authority = rest[..<end]
        let at = authority.lastIndex(of: "@")
        hasUserInfo = at != nil
        let address = at.map { authority[authority.index(after: $0)...] } ?? authority
        guard Self.isScheme(scheme), let split = Self.split(address), Self.isPort(split.port) else { return nil }
        host = String(split.host)
    }

    /// True where an HTTP client can call it.
    var isWeb: Bool { scheme == "http" || scheme == "https" }

    /// True for what a browser may send as `Origin` (RFC 6454, section 6.2), where host and scheme are in lower case.
    var isOrigin: Bool { endsWithAuthority && !hasUserInfo && host == host.lowercased() }

    private static func split(_ address: Substring) -> (host: Substring, port: Substring?)? {
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

    private static func isPort(_ text: Substring?) -> Bool {
        guard let text else { return true }
        return text.utf8.allSatisfy(isDigit) && Int(text).map { (1...65535).contains($0) } == true
    }

    private static func isScheme(_ text: String) -> Bool {
        text.utf8.first.map(isLetter) == true
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

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
