/// A request target taken apart (RFC 9112, section 3.2): ranges into the bytes of the head.
struct RequestTarget: Sendable {
    let whole: Range<Int>
    /// Host and port, where the target names them (absolute and authority form).
    private(set) var authority: Range<Int>?
    /// The path, without the query; empty in authority form and where an absolute form has none.
    private(set) var path: Range<Int>
    /// The query, without its question mark.
    private(set) var query: Range<Int>?

    /// Takes a target apart.
    ///
    /// - Throws: a malformed request where the target has no form that fits the method, a character that must be
    ///   percent-encoded, a broken percent-encoding, or a dot segment.
    init(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, method: HTTPMethod
    ) throws(RequestFailure) {
        whole = range
        path = range.upperBound..<range.upperBound
        if method == .connect {
            guard AuthoritySyntax.isValid(bytes, range, portNeeded: true) else {
                throw .malformed("The target of CONNECT is not a host and a port.")
            }
            authority = range
        } else if bytes[range.lowerBound] == ASCII.slash {
            try takePathAndQuery(bytes, from: range.lowerBound)
        } else if range.count == 1, bytes[range.lowerBound] == ASCII.asterisk {
            guard method == .options else { throw .malformed("The target * is for OPTIONS only.") }
            path = range
        } else {
            try takeAbsolute(bytes)
        }
    }

    private mutating func takeAbsolute(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        var start = whole.lowerBound
        if bytes.startsWithText("http://", at: start, to: whole.upperBound) {
            start += 7
        } else if bytes.startsWithText("https://", at: start, to: whole.upperBound) {
            start += 8
        } else {
            throw .malformed("The request target is neither a path nor an http URI.")
        }
        var end = start
        while end < whole.upperBound, bytes[end] != ASCII.slash, bytes[end] != ASCII.question { end += 1 }
        guard AuthoritySyntax.isValid(bytes, start..<end, portNeeded: false) else {
            throw .malformed("The request target names no valid host.")
        }
        authority = start..<end
        try takePathAndQuery(bytes, from: end)
    }

    private mutating func takePathAndQuery(
        _ bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(RequestFailure) {
        let end = whole.upperBound
        let pathEnd = try TargetSyntax.path(bytes, start..<end)
        path = start..<pathEnd
        if pathEnd < end {
            try TargetSyntax.query(bytes, (pathEnd + 1)..<end)
            query = (pathEnd + 1)..<end
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func startsWithText(_ text: StaticString, at start: Int, to end: Int) -> Bool {
        end - start >= text.utf8CodeUnitCount && hasText(text, in: start..<(start + text.utf8CodeUnitCount))
    }
}
