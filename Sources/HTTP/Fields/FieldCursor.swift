/// Parses a field value by the common rules of RFC 9110, section 5.6.
struct FieldCursor {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next byte; nil at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skipBlanks() {
        while let byte = next, byte.isBlank { index += 1 }
    }

    /// Consumes the next byte if it equals `byte`.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// Consumes bytes while the predicate holds.
    mutating func takeWhile(_ belongs: (UInt8) -> Bool) -> String {
        let start = index
        while let byte = next, belongs(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Consumes a token; nil if there is none.
    mutating func token() -> String? {
        let token = takeWhile { ByteClass.token.contains($0) }
        return token.isEmpty ? nil : token
    }

    /// Consumes a token or a quoted string, and returns it unquoted; nil if there is neither.
    mutating func word() -> String? {
        guard take(ASCII.quote) else { return token() }
        var content: [UInt8] = []
        while let byte = next, byte.isFieldContent {
            index += 1
            if byte == ASCII.quote { return String(decoding: content, as: UTF8.self) }
            if byte == ASCII.backslash {
                guard let escaped = next, escaped.isFieldContent else { return nil }
                content.append(escaped)
                index += 1
            } else {
                content.append(byte)
            }
        }
        return nil
    }

    /// Consumes the separators before the next element of a list, and returns whether there is one. Elements and the
    /// list may be empty (RFC 9110, section 5.6.1.2).
    mutating func nextElement() -> Bool {
        repeat { skipBlanks() } while take(ASCII.comma)
        return next != nil
    }

    /// Skips white space, and returns whether a comma or the end follows.
    mutating func elementEnds() -> Bool {
        skipBlanks()
        return next == nil || next == ASCII.comma
    }

    /// Skips to the end of a malformed element. A comma in quotes does not end it.
    mutating func skipElement() {
        var isQuoted = false
        while let byte = next, isQuoted || byte != ASCII.comma {
            index += isQuoted && byte == ASCII.backslash && index + 1 < bytes.count ? 2 : 1
            if byte == ASCII.quote { isQuoted.toggle() }
        }
    }

    /// Consumes `*( OWS ";" OWS [ name "=" value ] )` (RFC 9110, section 5.6.6), and returns the parameters with names
    /// in lower case; nil if they are malformed.
    mutating func parameters() -> [Parameter]? {
        var parameters: [Parameter] = []
        while true {
            skipBlanks()
            guard take(ASCII.semicolon) else { return parameters }
            skipBlanks()
            guard let name = token() else { continue }
            guard take(ASCII.equals), let value = word() else { return nil }
            parameters.append(Parameter(name: name.lowercased(), value: value))
        }
    }
}

/// The elements of a comma-separated list of tokens (RFC 9110, section 5.6.1) without surrounding white space. Empty
/// elements are skipped. Quoted strings are not supported.
struct ListElements: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var index: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Range<Int>? {
        while index < end {
            var start = index
            while index < end, bytes[index] != ASCII.comma { index += 1 }
            var stop = index
            if index < end { index += 1 }
            while start < stop, bytes[start].isBlank { start += 1 }
            while stop > start, bytes[stop - 1].isBlank { stop -= 1 }
            if start < stop { return start..<stop }
        }
        return nil
    }
}

/// A parameter of a field value: the name in lower case, the value unquoted.
package struct Parameter: Sendable, Hashable {
    package let name: String
    package let value: String
}
