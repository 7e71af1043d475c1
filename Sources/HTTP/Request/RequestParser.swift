/// Reads request heads (RFC 9112, sections 2 to 5), strictly: what could be read in two ways is refused, never
/// repaired.
///
/// The caller owns the input. It gives ``parse(_:)`` all bytes that are not consumed yet, each time from the same
/// first byte; the parser remembers how far it looked, so a head that comes byte by byte is scanned once. The outcome
/// does not depend on how the bytes were cut.
package struct RequestParser: Sendable {
    /// What came of the bytes so far.
    package enum Step: Sendable {
        /// The head is not complete: come back with more.
        case needMore
        /// A head. The first `consumed` bytes are done with; what follows is its body or the next request.
        case head(RequestHead, consumed: Int)
        /// No request. Unless the failure says how much is consumed, the connection must be closed.
        case failed(RequestFailure)
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

    /// Reads on. After a head the parser is ready for the next one.
    ///
    /// - Parameter bytes: all bytes not consumed yet.
    package mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Step {
        do throws(RequestFailure) {
            guard let end = try scan(bytes) else { return .needMore }
            let head = try makeHead(bytes, end: end)
            self = RequestParser(limits: limits)
            return .head(head, consumed: end)
        } catch {
            var failure = error
            failure.method = line.method
            failure.origin = fields.value("origin", bytes)
            if failure.consumed != nil { self = RequestParser(limits: limits) }
            return .failed(failure)
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

    private func makeHead(_ bytes: UnsafeRawBufferPointer, end: Int) throws(RequestFailure) -> RequestHead {
        let lines = fields.lines
        let method = line.method ?? .other("")
        let target = try RequestTarget(bytes, line.target, method: method)
        let framing = try MessageFraming(lines, bytes, version: line.version, limits: limits)
        if framing.expectsOther {
            var failure = RequestFailure(.expectationFailed, "The only expectation met here is 100-continue.")
            // With a body announced nobody knows whether it will come, so the next request cannot be found.
            if framing.keepAlive, framing.body == .none { failure.consumed = end }
            throw failure
        }
        let fields = HTTPFields(bytes: [UInt8](UnsafeRawBufferPointer(rebasing: bytes[..<end])), lines: lines)
        return RequestHead(method: method, version: line.version, target: target, framing: framing, fields: fields)
    }
}

/// How many bytes the parts of a request may have. What is over a limit is refused, never cut.
package struct HTTPLimits: Sendable, Hashable {
    /// The most bytes of a header section or of a trailer section, line ends counted; over it: 431.
    package let maxHeaderBytes: Int
    /// The most bytes of a request target; over it: 414.
    package let maxTargetBytes: Int
    /// The most bytes of a body after its transfer coding is taken off; over it: 413.
    package let maxBodyBytes: Int

    /// Makes limits. Values below 0 count as 0, and the first two are capped at 2^28, so that offsets into a head
    /// always fit in 32 bits.
    package init(maxHeaderBytes: Int = 16384, maxTargetBytes: Int = 8192, maxBodyBytes: Int = 65536) {
        let cap = 1 << 28
        self.maxHeaderBytes = min(max(0, maxHeaderBytes), cap)
        self.maxTargetBytes = min(max(0, maxTargetBytes), cap)
        self.maxBodyBytes = max(0, maxBodyBytes)
    }

    /// The longest method that is read: longer ones are answered with 501 (RFC 9112, section 3).
    static let maxMethodBytes = 32
    /// The most bytes of chunk extensions in one body (RFC 9112, section 7.1.1 asks for such a limit).
    static let maxExtensionBytes = 1024
}
