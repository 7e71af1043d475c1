import CNghttp2
package import HTTP
package import HTTPServer

/// HTTP/2 (RFC 9113) without TLS, for ``HTTPServer/HTTPServer/Settings/http2``.
package enum HTTP2Protocol {
    /// Why it cannot be spoken: its library cannot be loaded. Nil if it can.
    package static var problem: String? { cnghttp2_load(CNGHTTP2_LIBRARY).map { String(cString: $0) } }

    /// Speaks it with clients whose addresses are accepted.
    package static func start(
        accepting accepts: @escaping @Sendable (IPAddress) -> Bool
    ) -> @Sendable (HTTPConnection) -> (any StreamHandler)? {
        { connection in accepts(connection.peer) && problem == nil ? HTTP2Connection(connection) : nil }
    }
}
