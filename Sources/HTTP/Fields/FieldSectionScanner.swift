/// Scans a header or trailer section (RFC 9112, section 5) up to the empty line that ends it.
///
/// Input may arrive in pieces. Each call passes all bytes from the same first byte on, and the scanner examines each
/// byte once. The result does not depend on the pieces.
struct FieldSectionScanner: Sendable {
    private enum Phase: Sendable { case line, name, blanks, value, lineEnd, sectionEnd }

    private(set) var lines: [FieldLine] = []
    private let start: Int
    private var limit: Int
    /// Whether the section may be larger if another server sends it, and the limit is still that of clients.
    private var acceptsForwarded: Bool
    private var phase = Phase.line
    private var position: Int
    private var nameStart = 0
    private var nameEnd = 0
    private var valueStart = 0
    private var valueEnd = 0

    /// - Parameters:
    ///   - start: the offset of the section.
    ///   - maxBytes: the limit for the size of the section.
    ///   - acceptsForwarded: see ``HTTPLimits/acceptsForwarded``.
    init(start: Int, maxBytes: Int, acceptsForwarded: Bool = false) {
        self.acceptsForwarded = acceptsForwarded
        self.start = start
        self.limit = start + maxBytes
        position = start
    }

    /// Scans new bytes. Returns the offset behind the section, or nil if it is incomplete.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) -> Int? {
        let end = min(bytes.count, limit)
        while position < end {
            switch phase {
            case .line: try scanLineStart(bytes)
            case .name: try scanName(bytes, to: end)
            case .blanks: skipBlanks(bytes, to: end)
            case .value: try scanValue(bytes, to: end)
            case .lineEnd:
                try expectLineFeed(bytes)
                phase = .line
            case .sectionEnd:
                try expectLineFeed(bytes)
                return position
            }
        }
        if position < limit { return nil }
        guard isForwarded(bytes) else { throw RequestFailure(.headersTooLarge, "The header fields are too large.") }
        acceptsForwarded = false
        limit += HTTPLimits.maxForwardingBytes
        return try scan(bytes)
    }

    /// Whether the first field shows that another server forwards the request.
    private func isForwarded(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard acceptsForwarded, let first = lines.first else { return false }
        return bytes.hasText(HTTPLimits.forwardingField, in: first.name)
    }

    /// The fields of the scanned part; nil if there are none.
    func scanned(_ bytes: UnsafeRawBufferPointer) -> HTTPFields? {
        lines.last.map { HTTPFields(bytes: [UInt8](bytes[..<$0.value.upperBound]), lines: lines) }
    }

    private mutating func scanLineStart(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        let byte = bytes[position]
        if byte == ASCII.carriageReturn {
            position &+= 1
            phase = .sectionEnd
        } else if byte.isBlank {
            throw .malformed("A line starts with white space; folded field lines are not supported.")
        } else {
            if lines.isEmpty { lines.reserveCapacity(12) }
            nameStart = position
            phase = .name
        }
    }

    private mutating func scanName(_ bytes: UnsafeRawBufferPointer, to end: Int) throws(RequestFailure) {
        let token = ByteClass.token
        // A local copy of the position stays in a register.
        var index = position
        while index < end, token.contains(bytes[index]) { index &+= 1 }
        position = index
        guard index < end else { return }
        guard bytes[position] == ASCII.colon else {
            throw .malformed(
                bytes[position].isBlank
                    ? "A field line has white space before the colon."
                    : "A field name is not a token followed by a colon.")
        }
        guard position > nameStart else { throw .malformed("A field line has no name.") }
        nameEnd = position
        position &+= 1
        phase = .blanks
    }

    private mutating func skipBlanks(_ bytes: UnsafeRawBufferPointer, to end: Int) {
        while position < end, bytes[position].isBlank { position &+= 1 }
        guard position < end else { return }
        valueStart = position
        phase = .value
    }

    private mutating func scanValue(_ bytes: UnsafeRawBufferPointer, to end: Int) throws(RequestFailure) {
        var index = bytes.firstControl(from: position, to: end, below: ASCII.space)
        while index < end, bytes[index] == ASCII.tab {
            index = bytes.firstControl(from: index &+ 1, to: end, below: ASCII.space)
        }
        position = index
        guard index < end else { return }
        guard bytes[position] == ASCII.carriageReturn else {
            throw .malformed(
                bytes[position] == ASCII.lineFeed
                    ? "A line ends with a bare line feed; it must end with CR LF."
                    : "A field value contains a control character.")
        }
        valueEnd = position
        while valueEnd > valueStart, bytes[valueEnd &- 1].isBlank { valueEnd &-= 1 }
        lines.append(FieldLine(name: nameStart..<nameEnd, value: valueStart..<valueEnd))
        position &+= 1
        phase = .lineEnd
    }

    private mutating func expectLineFeed(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        guard bytes[position] == ASCII.lineFeed else {
            throw .malformed("A carriage return is not followed by a line feed.")
        }
        position &+= 1
    }
}

/// The ranges of a field line's name and value in the bytes of the message. The value excludes surrounding white space.
struct FieldLine: Sendable, Hashable {
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    /// The offsets fit 32 bits because `HTTPLimits` limits the size of a head.
    init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
    }

    @inline(__always)
    var name: Range<Int> { Range(uncheckedBounds: (Int(nameStart), Int(nameEnd))) }
    @inline(__always)
    var value: Range<Int> { Range(uncheckedBounds: (Int(valueStart), Int(valueEnd))) }
}

/// A field value is malformed.
package struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for the client. It never quotes the request.
    package let description: String

    init(_ description: String) { self.description = description }
}
