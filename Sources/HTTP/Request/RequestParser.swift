/// Parses request heads strictly (RFC 9112, sections 2 to 5): ambiguous input is rejected and never repaired.
///
/// The caller owns the input. Each call of ``parse(_:)`` passes all bytes that are not consumed yet. The parser
/// remembers its position, so it examines each byte once even if a head arrives byte by byte. The result does not
/// depend on the pieces.
package struct RequestParser: Sendable {
    /// The result of parsing.
    package enum Step: Sendable {
        /// The head is incomplete.
        case needMore
        /// A complete head. The body or the next request starts behind the first `consumed` bytes.
        case head(RequestHead, consumed: Int)
        /// A request that is refused. The connection must be closed unless the failure has `consumed`.
        ///
        /// - of: the head, if it is well-formed.
        indirect case failed(RequestFailure, of: RequestHead?)
    }

    private let limits: HTTPLimits
    private var line: RequestLineScanner
    private var fields: FieldSectionScanner
    /// Whether the request line is complete.
    private var isInFields = false

    package init(limits: HTTPLimits) {
        self.limits = limits
        line = RequestLineScanner(maxTargetBytes: limits.maxTargetBytes)
        fields = FieldSectionScanner(
            start: 0, maxBytes: limits.maxHeaderBytes, acceptsForwarded: limits.acceptsForwarded)
    }

    /// The memory that it holds of an incomplete head, beside the bytes themselves.
    package var heldBytes: Int { fields.heldBytes }

    /// Parses new bytes. After a complete head, the parser is ready for the next one.
    ///
    /// - Parameter bytes: all bytes that are not consumed yet.
    package mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Step {
        do throws(RequestFailure) {
            guard let end = try scan(bytes) else { return .needMore }
            let (head, refusal) = try makeHead(bytes, end: end)
            line = RequestLineScanner(maxTargetBytes: limits.maxTargetBytes)
            isInFields = false
            guard let refusal else { return .head(head, consumed: end) }
            var failure = refusal.failure.of(head)
            // If a body is announced, the client may or may not send it, so the next request cannot be found.
            if head.keepAlive, head.body == .none { failure.consumed = end }
            return .failed(failure, of: head)
        } catch {
            var failure = error
            failure.method = line.method
            failure.fields = fields.scanned(bytes)
            return .failed(failure, of: nil)
        }
    }

    private mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) -> Int? {
        if !isInFields {
            guard let end = try line.scan(bytes) else { return nil }
            fields = FieldSectionScanner(
                start: end, maxBytes: limits.maxHeaderBytes, acceptsForwarded: limits.acceptsForwarded)
            isInFields = true
        }
        return try fields.scan(bytes)
    }

    private mutating func makeHead(
        _ bytes: UnsafeRawBufferPointer, end: Int
    ) throws(RequestFailure) -> (RequestHead, refusal: MessageFraming.Refusal?) {
        let (method, version) = (line.method ?? .other(""), line.version)
        let target = try RequestTarget(bytes, line.target, method: method)
        let framing = try MessageFraming(fields.lines, bytes, version: version, limits: limits)
        let head = RequestHead(
            method: method, version: version, target: target, framing: framing,
            fields: HTTPFields(
                bytes: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[..<end])), lines: fields.takeLines()))
        return (head, framing.refusal)
    }
}

/// Size limits for the parts of a request, in bytes. Larger requests are rejected and never truncated.
package struct HTTPLimits: Sendable, Hashable {
    /// The limit for a header section or a trailer section, including line ends. Larger ones get 431.
    package let maxHeaderBytes: Int
    /// The limit for a request target. Larger ones get 414.
    package let maxTargetBytes: Int
    /// The limit for a decoded body. Larger ones get 413.
    package let maxBodyBytes: Int
    /// Whether other servers forward requests to this one. The header sections of these begin with ``forwardingField``, and may be
    /// larger by ``maxForwardingBytes``: what their clients have sent was within the limit.
    package let acceptsForwarded: Bool

    /// Clamps all values to 0 or more, and the first two to at most 2^28, so that offsets in a head fit 32 bits.
    package init(
        maxHeaderBytes: Int = 16384, maxTargetBytes: Int = 8192, maxBodyBytes: Int = 65536,
        acceptsForwarded: Bool = false
    ) {
        self.acceptsForwarded = acceptsForwarded
        let cap = 1 << 28
        self.maxHeaderBytes = min(max(0, maxHeaderBytes), cap)
        self.maxTargetBytes = min(max(0, maxTargetBytes), cap)
        self.maxBodyBytes = max(0, maxBodyBytes)
    }

    /// The limit for the fields that a server adds to a request which it forwards.
    package static let maxForwardingBytes = 1024
    static let forwardingField: StaticString = "storehouse-node"
    /// The limit for a method. Longer ones get 501 (RFC 9112, section 3).
    static let maxMethodBytes = 32
    /// The limit for all chunk extensions of a body, as RFC 9112, section 7.1.1 recommends.
    static let maxExtensionBytes = 1024
}
