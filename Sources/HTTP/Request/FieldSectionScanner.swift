/// Scans a header or trailer section (RFC 9112, section 5) up to the empty line that ends it.
///
/// Input may arrive in pieces. Each call passes all bytes from the same first byte on, and the scanner examines each
/// byte once. The result does not depend on the pieces.
struct FieldSectionScanner: Sendable {
    private(set) var lines: [FieldLine] = []
    private let limit: Int
    private var place: Place

    /// - Parameters:
    ///   - start: the offset of the section.
    ///   - maxBytes: the limit for the size of the section.
    init(start: Int, maxBytes: Int) {
        limit = start + maxBytes
        place = Place(position: start)
    }

    /// The memory of the lines.
    var heldBytes: Int { lines.capacity * MemoryLayout<FieldLine>.stride }

    /// Scans new bytes. Returns the offset behind the section, or nil if it is incomplete.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) -> Int? {
        if let end = try scan(bytes, to: min(bytes.count, limit)) { return end }
        if place.position < limit { return nil }
        throw RequestFailure(.headersTooLarge, "The header fields are too large.")
    }

    private mutating func scan(_ bytes: UnsafeRawBufferPointer, to end: Int) throws(RequestFailure) -> Int? {
        // A local copy of the place stays in registers.
        var place = place
        defer { self.place = place }
        while place.position < end {
            switch place.phase {
            case .line: try place.startLine(bytes)
            case .name: try place.scanName(bytes, to: end)
            case .blanks: place.skipBlanks(bytes, to: end)
            case .value:
                guard let line = try place.scanValue(bytes, to: end) else { return nil }
                if lines.isEmpty { lines.reserveCapacity(12) }
                lines.append(line)
            case .lineEnd: try place.endLine(bytes)
            case .sectionEnd:
                try place.endLine(bytes)
                return place.position
            }
        }
        return nil
    }

    /// The fields of the scanned part; nil if there are none.
    func scanned(_ bytes: UnsafeRawBufferPointer) -> HTTPFields? {
        lines.last.map { HTTPFields(bytes: [UInt8](bytes[..<$0.value.upperBound]), lines: lines) }
    }

    /// Returns the lines, and keeps none.
    mutating func takeLines() -> [FieldLine] {
        defer { lines = [] }
        return lines
    }
}

/// A place in a header section. The functions advance it, and never beyond `end`.
private struct Place: Sendable {
    enum Phase: Sendable { case line, name, blanks, value, lineEnd, sectionEnd }

    private(set) var phase = Phase.line
    private(set) var position: Int
    private var nameStart = 0
    private var nameEnd = 0
    private var valueStart = 0

    init(position: Int) { self.position = position }

    @inline(__always)
    mutating func startLine(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        let byte = bytes[position]
        if byte == ASCII.carriageReturn {
            position &+= 1
            phase = .sectionEnd
        } else if byte.isBlank {
            throw .malformed("A line starts with white space; folded field lines are not supported.")
        } else {
            nameStart = position
            phase = .name
        }
    }

    @inline(__always)
    mutating func scanName(_ bytes: UnsafeRawBufferPointer, to end: Int) throws(RequestFailure) {
        position = bytes.end(of: .token, from: position, to: end)
        guard position < end else { return }
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

    @inline(__always)
    mutating func skipBlanks(_ bytes: UnsafeRawBufferPointer, to end: Int) {
        while position < end, bytes[position].isBlank { position &+= 1 }
        guard position < end else { return }
        valueStart = position
        phase = .value
    }

    /// - Returns: the line; nil if its end has not arrived.
    @inline(__always)
    mutating func scanValue(_ bytes: UnsafeRawBufferPointer, to end: Int) throws(RequestFailure) -> FieldLine? {
        position = bytes.firstControl(from: position, to: end, below: ASCII.space)
        while position < end, bytes[position] == ASCII.tab {
            position = bytes.firstControl(from: position &+ 1, to: end, below: ASCII.space)
        }
        guard position < end else { return nil }
        guard bytes[position] == ASCII.carriageReturn else {
            throw .malformed(
                bytes[position] == ASCII.lineFeed
                    ? "A line ends with a bare line feed; it must end with CR LF."
                    : "A field value contains a control character.")
        }
        var valueEnd = position
        while valueEnd > valueStart, bytes[valueEnd &- 1].isBlank { valueEnd &-= 1 }
        position &+= 1
        phase = .lineEnd
        return FieldLine(
            name: Range(uncheckedBounds: (nameStart, nameEnd)), value: Range(uncheckedBounds: (valueStart, valueEnd)))
    }

    @inline(__always)
    mutating func endLine(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        guard bytes[position] == ASCII.lineFeed else {
            throw .malformed("A carriage return is not followed by a line feed.")
        }
        position &+= 1
        phase = .line
    }
}
