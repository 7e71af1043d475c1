/// Checks chunk extensions byte by byte (RFC 9112, section 7.1.1). They mean nothing here, but a reader that passes
/// over them carelessly finds the chunk at another place than a proxy does.
struct ChunkExtensionScanner: Sendable {
    private enum Phase: Sendable {
        case end, blanks, nameStart, name, afterName, valueStart, value, quoted, escaped, afterQuoted
    }

    private var phase = Phase.end
    private var total = 0

    /// Starts with the next chunk; the count of bytes goes on over the whole body.
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
            throw .malformed("The chunk extensions have more bytes than this server takes.")
        }
        guard let next = phase(after: byte) else { throw .malformed("A chunk size is followed by no chunk extension.") }
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
