/// Collects the body of one request, sized or chunked (RFC 9112, sections 6 and 7).
///
/// The caller owns the input: it gives ``decode(_:)`` the bytes after the head, then each time those that were not
/// consumed and what came since. Memory follows what has arrived, not what was announced.
package struct BodyDecoder: Sendable {
    /// What came of the bytes so far.
    package enum Step: Sendable, Hashable {
        /// The body is not complete. The first `consumed` bytes are done with; give the others again, with more.
        case needMore(consumed: Int)
        /// The body is complete. What follows the first `consumed` bytes is the next request.
        case done(consumed: Int)
        /// The body is refused, and nobody knows where the next request starts: the connection must be closed.
        case failed(RequestFailure)
    }

    /// What is decoded so far; the whole body once it is done.
    package private(set) var body: [UInt8] = []
    private var remaining = 0
    private var chunks: ChunkedDecoder?

    /// Makes a decoder of the body that a head announces.
    package init(_ framing: BodyFraming, limits: HTTPLimits) {
        switch framing {
        case .none: break
        case .length(let length): remaining = length
        case .chunked: chunks = ChunkedDecoder(limits: limits)
        }
    }

    /// Reads on.
    ///
    /// - Parameter bytes: all bytes not consumed yet.
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

/// The fields that may not stand in a trailer section, because they frame, route, modify or authorize the request or
/// say what its content is (RFC 9110, section 6.5.1).
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
            throw .malformed("A field stands in the trailer section that may not stand there.")
        }
    }
}
