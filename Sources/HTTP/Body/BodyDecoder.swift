/// Collects the body of one request, with Content-Length or chunked (RFC 9112, sections 6 and 7).
///
/// The caller owns the input. It calls ``decode(_:)`` with the bytes behind the head, and each time again with the
/// bytes that were not consumed and the new ones. Memory grows with the received bytes, not with the announced length.
package struct BodyDecoder: Sendable {
    /// The result of decoding.
    package enum Step: Sendable, Hashable {
        /// The body is incomplete. Pass the bytes behind the first `consumed` ones again, with more.
        case needMore(consumed: Int)
        /// The body is complete. The next request starts behind the first `consumed` bytes.
        case done(consumed: Int)
        /// The body is invalid. The start of the next request is unknown, so the connection must be closed.
        case failed(RequestFailure)
    }

    /// The decoded part of the body.
    package private(set) var body: [UInt8] = []
    private var remaining = 0
    private var chunks: ChunkedDecoder?

    package init(_ framing: BodyFraming, limits: HTTPLimits) {
        switch framing {
        case .none: break
        case .length(let length): remaining = length
        case .chunked: chunks = ChunkedDecoder(limits: limits)
        }
    }

    /// Decodes more of the body.
    ///
    /// - Parameter bytes: all bytes that are not consumed yet.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer) -> Step {
        do throws(RequestFailure) {
            if let step = try chunks?.decode(bytes, into: &body) { return step }
        } catch {
            return .failed(error)
        }
        let taken = min(remaining, bytes.count)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
        remaining -= taken
        return remaining == 0 ? .done(consumed: taken) : .needMore(consumed: taken)
    }
}

/// The fields that a trailer section must not contain, because they affect framing, routing, conditions, authorization
/// or the meaning of the content (RFC 9110, section 6.5.1).
enum ForbiddenTrailers {
    private static let names: [StaticString] = [
        "accept", "age", "authorization", "cache-control", "connection", "content-encoding", "content-length",
        "content-range", "content-type", "cookie", "date", "expect", "expires", "host", "idempotency-key", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "last-event-id",
        "location", "max-forwards", "origin", "pragma", "prefer", "proxy-authenticate", "proxy-authorization",
        "proxy-connection", "range", "retry-after", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
        "vary", "warning", "www-authenticate",
    ]

    static func check(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) throws(RequestFailure) {
        if names.contains(where: { bytes.hasText($0, in: name) }) {
            throw .malformed("The trailer section contains a field that is not allowed there.")
        }
    }
}
