/// A valid request head: the request line and the fields (RFC 9112, sections 3 and 5).
///
/// It owns one copy of its bytes; path, query and fields are views into it. It is a class because it is immutable and
/// passed through many functions.
package final class RequestHead: Sendable {
    package let method: HTTPMethod
    package let version: HTTPVersion
    package let fields: HTTPFields
    /// Whether the connection stays open after the response (RFC 9112, section 9.3). It closes after CONNECT, because
    /// the bytes behind it are meant for the tunnel's other end (RFC 9110, section 9.3.6).
    package let keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    package let expectsContinue: Bool
    package let body: BodyFraming
    let parts: RequestTarget

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
    /// The path. For CONNECT it is `*`. If an absolute form has no path, it is `/`, or `*` for OPTIONS.
    package var path: RequestPath {
        if parts.path.isEmpty { return RequestPath(bytes: [impliedPath], range: 0..<1, SegmentEnds()) }
        return RequestPath(bytes: fields.bytes, range: parts.path, parts.segmentEnds)
    }
    /// Whether there is a query; it may be empty.
    package var hasQuery: Bool { parts.query != nil }
    /// The items of the query, empty if there is no query.
    package var query: QueryItems { QueryItems(bytes: fields.bytes, range: parts.query ?? 0..<0) }

    /// Host and port of the target URI, from the target or else from the Host field (RFC 9112, section 3.3). Nil only
    /// for an HTTP/1.0 request that has neither.
    package var authority: String? { parts.authority.map(string) ?? fields.first("host") }

    /// Whether the authority is one of these hosts, with or without a port. Creates no string.
    ///
    /// - Parameter hosts: ASCII in lower case, an IPv6 address with brackets.
    func asks(forOneOf hosts: [[UInt8]]) -> Bool {
        guard let range = parts.authority ?? fields.range("host") else { return false }
        return fields.bytes.withUnsafeBytes { bytes in
            hosts.contains { host in
                let end = range.lowerBound + host.count
                guard end == range.upperBound || end < range.upperBound && bytes[end] == ASCII.colon else {
                    return false
                }
                return host.withUnsafeBytes { bytes.hasText($0, in: range.lowerBound..<end) }
            }
        }
    }

    /// The path of a target without a path (RFC 9112, sections 3.2.1 and 3.2.4).
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
    /// There is no body.
    case none
    /// The body has this many bytes: at least 1, and at most the limit.
    case length(Int)
    /// The body has the chunked coding.
    case chunked
}

/// A request method (RFC 9110, section 9). Methods are case-sensitive: `get` is not `GET`.
package enum HTTPMethod: Sendable, Hashable, CustomStringConvertible {
    case get, head, post, put, patch, delete, options, connect, trace
    /// Any other token.
    case other(String)

    /// - Parameter token: must be a valid token.
    package init(_ token: String) {
        switch token {
        case "GET": self = .get
        case "POST": self = .post
        case "HEAD": self = .head
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        case "CONNECT": self = .connect
        case "TRACE": self = .trace
        default: self = .other(token)
        }
    }

    package var description: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        case .other(let token): token
        }
    }
}

/// The supported versions of HTTP. Later 1.x versions are treated as 1.1 (RFC 9110, section 2.5). Other major versions
/// are rejected with 505.
package enum HTTPVersion: Sendable, Hashable {
    case http10, http11
}
