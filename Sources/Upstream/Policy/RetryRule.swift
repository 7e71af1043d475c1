/// Says which calls may be repeated after what.
package enum RetryRule {
    /// How far an attempt came that brought no answer.
    package enum Breakage: Sendable {
        /// The connection was refused: not a byte was sent.
        case refused
        /// There was no connection to send on, for another reason.
        case unconnected
        /// The connection broke; the service may have seen the request.
        case broken
        /// Another attempt would meet the same.
        case lasting
    }

    /// Whether sending the request twice is as good as once (RFC 9110, 9.2.2).
    package static func isIdempotent(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"].contains(method)
    }

    /// Whether a request is tried again after an attempt that brought no answer.
    package static func allows(_ isIdempotent: Bool, after breakage: Breakage) -> Bool {
        switch breakage {
        case .refused: true
        case .unconnected, .broken: isIdempotent
        case .lasting: false
        }
    }

    /// Whether a request is tried again after an answer with this status.
    package static func allows(_ isIdempotent: Bool, afterStatus status: Int) -> Bool {
        isIdempotent && [429, 502, 503, 504].contains(status)
    }

    /// Whether a request follows the `Location` of an answer with this status.
    package static func follows(_ method: String, status: Int) -> Bool {
        (method == "GET" || method == "HEAD") && [301, 302, 303, 307, 308].contains(status)
    }
}
