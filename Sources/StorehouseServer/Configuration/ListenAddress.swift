import HTTP
import Sockets

/// An element of `http.listen`.
enum ListenAddress {
    case unix(UnixSocketPath)
    case tcp(HostAndPort)

    /// Nil for a text that is neither `unix:/PATH` nor `HOST:PORT`.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard let path = UnixSocketPath(String(text.dropFirst("unix:".count))) else { return nil }
            self = .unix(path)
            return
        }
        guard let address = HostAndPort(text) else { return nil }
        self = .tcp(address)
    }
}

/// A host name or an IP address with a port: `10.0.0.1:8080`, `[::1]:8080`.
struct HostAndPort {
    /// Without brackets.
    let host: String
    let port: UInt16

    init?(_ text: String) {
        guard text.utf8.count <= 255, let colon = text.lastIndex(of: ":"),
            let host = HostName.canonical(String(text[..<colon]))
        else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits), port > 0 else {
            return nil
        }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
    }
}
