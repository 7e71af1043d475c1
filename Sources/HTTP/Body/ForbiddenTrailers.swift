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
