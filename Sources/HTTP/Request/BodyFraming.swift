/// How the body of a request is delimited (RFC 9112, section 6.3).
package enum BodyFraming: Sendable, Hashable {
    /// No byte of a body follows the head.
    case none
    /// So many bytes follow; more than 0, and not more than the limit.
    case length(Int)
    /// Chunks follow.
    case chunked
}
