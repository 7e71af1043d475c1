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
