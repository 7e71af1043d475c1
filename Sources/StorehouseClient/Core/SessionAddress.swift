/// The address of a session, below which its resources stand.
package struct SessionAddress: Sendable, Hashable {
    /// Without the query, and without a slash at its end.
    private let base: String
    private let query: String

    /// - Parameter url: such as `https://host/sessions/me?store=seats`.
    package init(_ url: String) {
        let address = url.prefix { $0 != "#" }
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var base = String(parts[0])
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        query = parts.count > 1 ? String(parts[1]) : ""
    }

    package var text: String { url(of: "") }

    /// - Parameters:
    ///   - resource: below the session; empty for the session itself.
    ///   - members: of the query; those without a value are left out.
    package func url(of resource: String, _ members: [(String, String?)] = []) -> String {
        let more = members.compactMap { name, value in value.map { "\(name)=\(Self.escaped($0))" } }
        let query = ([query] + more).filter { !$0.isEmpty }.joined(separator: "&")
        return base + (resource.isEmpty ? "" : "/" + resource) + (query.isEmpty ? "" : "?" + query)
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += byte < 16 ? "%0" : "%"
                escaped += String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }
}
