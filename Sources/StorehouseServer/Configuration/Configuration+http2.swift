import HTTP
import HTTP2
import HTTPServer
import JSON

extension Configuration.Http {
    /// The clients that may speak HTTP/2 without TLS.
    package enum HTTP2Clients: String, Sendable {
        /// Clients of Unix sockets, clients on this machine, and the trusted proxies.
        case trusted
        case all = "true"
        case none = "false"
    }

    /// Takes over the connections of those clients; nil for none.
    var http2Start: (@Sendable (HTTPConnection) -> (any StreamHandler)?)? {
        switch http2 {
        case .all: return HTTP2Protocol.start { _ in true }
        case .none: return nil
        case .trusted:
            let proxies = TrustedProxies(trustedProxies.compactMap { AddressRange($0) })
            return HTTP2Protocol.start { $0 == .unixSocket || $0.isLoopback || proxies.contains($0) }
        }
    }

    var http2Problems: [ConfigurationProblem] {
        guard http2 == .all, let problem = HTTP2Protocol.problem else { return [] }
        let detail = "is true, but nghttp2 cannot be loaded (Debian package: libnghttp2-14): \(problem)"
        return [ConfigurationProblem(path: "http.http2", detail: detail)]
    }
}

extension ValueFormat<Configuration.Http.HTTP2Clients> {
    /// The word between true and false is a text.
    static var http2: ValueFormat {
        ValueFormat(
            "\"trusted\", true or false", json: plain,
            read: { value in value.asString.flatMap { .init(rawValue: $0) } ?? value.asBool.map { $0 ? .all : .none } },
            write: { $0 == .trusted ? .string($0.rawValue) : .bool($0 == .all) })
    }
}
