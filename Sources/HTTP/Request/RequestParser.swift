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
        fields = FieldSectionScanner(start: 0, maxBytes: limits.maxHeaderBytes)
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
            fields = FieldSectionScanner(start: end, maxBytes: limits.maxHeaderBytes)
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
