import HTTP
import Stores

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

/// Distinguishes addresses of the public Internet from special-purpose ones (RFC 6890) and multicast.
package enum PublicAddress {
    private static let privateBlocks4: [(UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16),
        (0xac10_0000, 12), (0xc000_0000, 24), (0xc000_0200, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
        (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 4), (0xf000_0000, 4),
    ]

    /// - Parameter bytes: 4 of an IPv4 address or 16 of an IPv6 address, in network order.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: isPublic(number(bytes))
        case 16: isPublic6(bytes)
        default: false
        }
    }

    private static func isPublic(_ address: UInt32) -> Bool {
        !privateBlocks4.contains { block, bits in (address ^ block) >> (32 - bits) == 0 }
    }

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        // IPv4 inside: mapped (and the unspecified and the loopback address), translated, 6to4.
        if bytes[..<10].allSatisfy({ $0 == 0 }) { return isMapped(bytes) && isPublic(number(bytes[12...])) }
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b]) { return isPublic(number(bytes[12...])) }
        if bytes.starts(with: [0x20, 0x02]) { return isPublic(number(bytes[2..<6])) }
        // Only 2000::/3 is allocated; documentation and Teredo are in it.
        return bytes[0] & 0xe0 == 0x20 && !bytes.starts(with: [0x20, 0x01, 0x0d, 0xb8])
            && !bytes.starts(with: [0x20, 0x01, 0, 0])
    }

    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes[10] == 0xff && bytes[11] == 0xff
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Writes header fields of requests, and rejects names and values that could break out of their line.
enum FieldLine {
    /// The fields that libcurl writes.
    private static let framing: Set<String> = ["content-length", "transfer-encoding", "connection", "expect"]

    /// The line of a field; nil if it is not valid (RFC 9110, 5.1 and 5.5).
    static func line(_ name: String, _ value: String) -> String? {
        guard !name.isEmpty, name.utf8.allSatisfy(isToken), value.utf8.allSatisfy(isText) else { return nil }
        // libcurl sends a field without a value only when it ends in a semicolon.
        return value.isEmpty ? "\(name);" : "\(name): \(value)"
    }

    /// True if libcurl writes the field.
    static func isFraming(_ name: String) -> Bool {
        framing.contains(name.lowercased())
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7f || byte == 0x09
    }

    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
