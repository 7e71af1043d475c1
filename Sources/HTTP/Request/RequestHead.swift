/// A request's head: the request line and the fields (RFC 9112, sections 3 and 5), already found to be sound.
///
/// It owns one copy of its bytes; paths, queries and fields are views of it. A class, since it is handed from hand to hand
/// and never changes.
package final class RequestHead: Sendable {
    package let method: HTTPMethod
    package let version: HTTPVersion
    package let fields: HTTPFields
    /// Whether the connection stays open after the answer (RFC 9112, section 9.3). It does not after CONNECT: what comes
    /// behind that was meant for somebody else (RFC 9110, section 9.3.6).
    package let keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    package let expectsContinue: Bool
    /// How the body is delimited.
    package let body: BodyFraming
    private let parts: RequestTarget

    init(
        method: HTTPMethod, version: HTTPVersion, target: RequestTarget, framing: MessageFraming, fields: HTTPFields
    ) {
        self.method = method
        self.version = version
        self.fields = fields
        keepAlive = framing.keepAlive && method != .connect
        expectsContinue = framing.expectsContinue
        body = framing.body
        parts = target
    }

    /// The request target as it was sent.
    package var target: String { string(parts.whole) }
    /// The path as it was sent, still percent-encoded; `*` for the server as a whole, and for CONNECT, which names
    /// no resource of it. Where an absolute form has no path it is `/`, and `*` for OPTIONS.
    package var rawPath: String { path.raw }
    /// The path in segments.
    package var path: RequestPath {
        if parts.path.isEmpty { return RequestPath(bytes: [impliedPath], range: 0..<1) }
        return RequestPath(bytes: fields.bytes, range: parts.path)
    }
    /// The items of the query; none where there is no query.
    package var query: QueryItems { QueryItems(bytes: fields.bytes, range: parts.query ?? 0..<0) }

    /// Host and port of the target URI: those of the target where it names them, else of Host (RFC 9112, section 3.3).
    /// Nil only where an HTTP/1.0 request has neither.
    package var authority: String? { parts.authority.map(string) ?? fields.first("host") }

    /// What an absolute form without a path means (RFC 9112, sections 3.2.1 and 3.2.4).
    private var impliedPath: UInt8 {
        switch method {
        case .connect: ASCII.asterisk
        case .options where parts.query == nil: ASCII.asterisk
        default: ASCII.slash
        }
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: fields.bytes[range], as: UTF8.self) }
}

/// How the body of a request is delimited (RFC 9112, section 6.3).
package enum BodyFraming: Sendable, Hashable {
    /// No byte of a body follows the head.
    case none
    /// So many bytes follow; more than 0, and not more than the limit.
    case length(Int)
    /// Chunks follow.
    case chunked
}
