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

    /// The memory that it holds.
    package var heldBytes: Int { body.capacity + (chunks?.heldBytes ?? 0) }

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
        // Twice as much each time, but no more than the whole body needs.
        if body.count + taken > body.capacity {
            body.reserveCapacity(min(body.count + remaining, max(body.count + taken, 2 * body.capacity)))
        }
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

/// Decodes the chunked transfer coding (RFC 9112, section 7.1).
///
/// It consumes all bytes up to the trailer section, and then the complete trailer section. Chunk extensions and
/// trailers are validated, limited in size and discarded. Forbidden trailers are an error (RFC 9110, section 6.5.1).
struct ChunkedDecoder: Sendable {
    private enum Phase: Sendable { case size, afterSize, sizeEnd, data, dataEnd, dataLineEnd, trailer }

    private let limits: HTTPLimits
    private var phase = Phase.size
    private var position = 0
    private var size = 0
    private var digits = 0
    private var extensions = ChunkExtensionScanner()
    private var trailers: FieldSectionScanner

    init(limits: HTTPLimits) {
        self.limits = limits
        trailers = FieldSectionScanner(start: 0, maxBytes: limits.maxHeaderBytes)
    }

    /// The memory of the trailers' lines.
    var heldBytes: Int { trailers.heldBytes }

    /// - Parameter bytes: all bytes that are not consumed yet.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer, into body: inout [UInt8]
    ) throws(RequestFailure) -> BodyDecoder.Step {
        defer { position = 0 }
        while position < bytes.count {
            switch phase {
            case .size: try scanSize(bytes, body.count)
            case .afterSize: try scanAfterSize(bytes)
            case .sizeEnd:
                try expect(ASCII.lineFeed, bytes)
                beginData()
            case .data: takeData(bytes, into: &body)
            case .dataEnd:
                try expect(ASCII.carriageReturn, bytes)
                phase = .dataLineEnd
            case .dataLineEnd:
                try expect(ASCII.lineFeed, bytes)
                phase = .size
            case .trailer:
                let isDone = try scanTrailers(bytes)
                return isDone ? .done(consumed: position) : .needMore(consumed: position)
            }
        }
        return .needMore(consumed: position)
    }

    private mutating func scanSize(
        _ bytes: UnsafeRawBufferPointer, _ decoded: Int
    ) throws(RequestFailure) {
        while position < bytes.count, let value = bytes[position].hexadecimalValue {
            // At most 16 digits, including leading zeros.
            guard digits < 16, size <= Int.max >> 4 else { throw .malformed("A chunk size is too large.") }
            size = size << 4 | Int(value)
            digits += 1
            position += 1
        }
        guard position < bytes.count else { return }
        guard digits > 0 else { throw .malformed("A chunk must start with its size in hexadecimal digits.") }
        guard size <= limits.maxBodyBytes - decoded else {
            throw RequestFailure(.bodyTooLarge, "The body has more than \(limits.maxBodyBytes) bytes.")
        }
        extensions.beginLine()
        phase = .afterSize
    }

    private mutating func scanAfterSize(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == ASCII.carriageReturn {
                guard extensions.mayEnd else { throw .malformed("A chunk extension is incomplete.") }
                phase = .sizeEnd
                return
            }
            try extensions.take(byte)
        }
    }

    private mutating func beginData() {
        phase = size == 0 ? .trailer : .data
        digits = 0
    }

    private mutating func takeData(_ bytes: UnsafeRawBufferPointer, into body: inout [UInt8]) {
        let taken = min(size, bytes.count - position)
        body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[position..<(position + taken)]))
        position += taken
        size -= taken
        if size == 0 { phase = .dataEnd }
    }

    /// The trailer section is not consumed until it is complete, so that its scanner always starts at the first byte.
    private mutating func scanTrailers(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) -> Bool {
        let section = UnsafeRawBufferPointer(rebasing: bytes[position...])
        guard let end = try trailers.scan(section) else { return false }
        for line in trailers.lines { try ForbiddenTrailers.check(section, line.name) }
        position += end
        return true
    }

    private mutating func expect(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        guard bytes[position] == byte else { throw .malformed("A chunk and its size must end with CR LF.") }
        position += 1
    }
}

/// Validates chunk extensions (RFC 9112, section 7.1.1). They have no meaning here, but a parser that skips them
/// carelessly and a proxy can disagree about where the chunk starts.
struct ChunkExtensionScanner: Sendable {
    private enum Phase: Sendable {
        case end, blanks, nameStart, name, afterName, valueStart, value, quoted, escaped, afterQuoted
    }

    private var phase = Phase.end
    private var total = 0

    /// Starts the next chunk. The size limit applies to the whole body.
    mutating func beginLine() { phase = .end }

    /// Whether the line may end here.
    var mayEnd: Bool {
        switch phase {
        case .end, .name, .value, .afterQuoted: true
        default: false
        }
    }

    mutating func take(_ byte: UInt8) throws(RequestFailure) {
        total += 1
        guard total <= HTTPLimits.maxExtensionBytes else {
            throw .malformed("The chunk extensions are too large.")
        }
        guard let next = phase(after: byte) else { throw .malformed("A chunk extension is malformed.") }
        phase = next
    }

    private func phase(after byte: UInt8) -> Phase? {
        switch phase {
        case .end, .blanks, .afterQuoted: separator(byte) ?? (byte.isBlank ? .blanks : nil)
        case .nameStart: ByteClass.token.contains(byte) ? .name : (byte.isBlank ? .nameStart : nil)
        case .name: ByteClass.token.contains(byte) ? .name : afterName(byte)
        case .afterName: afterName(byte)
        case .valueStart:
            byte == ASCII.quote
                ? .quoted : (ByteClass.token.contains(byte) ? .value : (byte.isBlank ? .valueStart : nil))
        case .value: ByteClass.token.contains(byte) ? .value : separator(byte) ?? (byte.isBlank ? .blanks : nil)
        case .quoted: quoted(byte)
        case .escaped: byte.isFieldContent ? .quoted : nil
        }
    }

    private func separator(_ byte: UInt8) -> Phase? { byte == ASCII.semicolon ? .nameStart : nil }

    private func afterName(_ byte: UInt8) -> Phase? {
        if byte == ASCII.equals { return .valueStart }
        return separator(byte) ?? (byte.isBlank ? .afterName : nil)
    }

    private func quoted(_ byte: UInt8) -> Phase? {
        switch byte {
        case ASCII.quote: .afterQuoted
        case ASCII.backslash: .escaped
        default: byte.isFieldContent ? .quoted : nil
        }
    }
}
