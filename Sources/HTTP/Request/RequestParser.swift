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
