import HTTP
import HTTPServer
import JSON
import Sockets

extension Configuration.Http {
    /// The clients that may speak HTTP/2 without TLS.
    package enum HTTP2: String, Sendable {
        /// Those of Unix sockets, of this machine, and the trusted proxies.
        case trusted
        case all = "true"
        case none = "false"
    }

    /// Whether a client at an address may begin with HTTP/2.
    var acceptsHTTP2: @Sendable (IPAddress) -> Bool {
        switch http2 {
        case .all: return { _ in true }
        case .none: return { _ in false }
        case .trusted:
            let proxies = TrustedProxies(trustedProxies.compactMap { AddressRange($0) })
            return { $0 == .unixSocket || $0.isLoopback || proxies.contains($0) }
        }
    }

    var http2Problems: [ConfigurationProblem] {
        guard http2 == .all, let problem = HTTPServer.problemOfHTTP2 else { return [] }
        let detail = "is true, but nghttp2 cannot be loaded (Debian package: libnghttp2-14): \(problem)"
        return [ConfigurationProblem(path: "http.http2", detail: detail)]
    }
}

extension ValueFormat<Configuration.Http.HTTP2> {
    /// The word between true and false is a text.
    static var http2: ValueFormat {
        ValueFormat(
            "\"trusted\", true or false", json: plain,
            read: { value in value.asString.flatMap { .init(rawValue: $0) } ?? value.asBool.map { $0 ? .all : .none } },
            write: { $0 == .trusted ? .string($0.rawValue) : .bool($0 == .all) })
    }
}
