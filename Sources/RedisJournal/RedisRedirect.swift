/// The answer of a node of Redis Cluster to a command whose keys it does not have, or does not have all.
package enum RedisRedirect: Sendable, Equatable {
    /// Another node has them. An empty host is that of the node which says so.
    case moved(host: String, port: Int)
    /// They are being moved to another node one by one, so no script can use all of them now.
    case moving

    /// Why nothing can be executed during a move.
    static let movingDetail = "the sessions are being moved to another node of its cluster"

    /// Nil if the error is something else, or names no address that can be used.
    ///
    /// - Parameter error: the text of an error, such as `MOVED 6918 10.0.0.2:6379`.
    package init?(error: String) {
        let words = error.split(separator: " ", omittingEmptySubsequences: false)
        switch words.first {
        case "ASK", "TRYAGAIN": self = .moving
        case "MOVED":
            guard words.count == 3, let slot = Self.number(words[1], atMost: 16_383), slot >= 0,
                let colon = words[2].lastIndex(of: ":"),
                let port = Self.number(words[2][words[2].index(after: colon)...], atMost: 65_535), port > 0
            else { return nil }
            let host = words[2][..<colon]
            guard Self.isHost(host) else { return nil }
            self = .moved(host: String(host), port: port)
        default: return nil
        }
    }

    private static func number(_ text: Substring, atMost limit: Int) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(text)
        else { return nil }
        return number <= limit ? number : nil
    }

    /// Whether a text is the name or the IP address of a host, or empty.
    static func isHost(_ text: Substring) -> Bool {
        text.utf8.count <= 253 && text.utf8.allSatisfy(isOfHost) && !text.hasPrefix("-")
    }

    /// Whether a character belongs to a name or an IP address.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// The address to connect to next; nil if there is no other.
    ///
    /// - Parameter current: the address of the node that has answered so.
    package func endpoint(from current: RedisAddress.Endpoint) -> RedisAddress.Endpoint? {
        guard case .moved(let host, let port) = self else { return nil }
        if !host.isEmpty { return .tcp(host: host, port: port) }
        guard case .tcp(let currentHost, _) = current else { return nil }
        return .tcp(host: currentHost, port: port)
    }
}
