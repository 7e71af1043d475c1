/// The parts of a request target (RFC 9112, section 3.2) as ranges of the head's bytes.
struct RequestTarget: Sendable {
    let whole: Range<Int>
    /// Host and port, in absolute and authority form.
    private(set) var authority: Range<Int>?
    /// The path without the query; empty in authority form, and if an absolute form has no path.
    private(set) var path: Range<Int>
    private(set) var segmentEnds = SegmentEnds()
    /// The query without the question mark.
    private(set) var query: Range<Int>?

    /// - Throws: `malformedRequest` if the form of the target does not fit the method, or if the target contains a
    ///   character that must be percent-encoded, a malformed percent-encoding or a dot segment.
    init(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, method: HTTPMethod
    ) throws(RequestFailure) {
        whole = range
        path = range.upperBound..<range.upperBound
        if method == .connect {
            guard AuthoritySyntax.isValid(bytes, range, portNeeded: true) else {
                throw .malformed("The target of CONNECT must be a host and a port.")
            }
            authority = range
        } else if bytes[range.lowerBound] == ASCII.slash {
            try parsePathAndQuery(bytes, from: range.lowerBound)
        } else if range.count == 1, bytes[range.lowerBound] == ASCII.asterisk {
            guard method == .options else { throw .malformed("The target * is allowed for OPTIONS only.") }
            path = range
        } else {
            try parseAbsoluteForm(bytes)
        }
    }

    private mutating func parseAbsoluteForm(_ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
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
            throw .malformed("The request target has no valid host.")
        }
        authority = start..<end
        try parsePathAndQuery(bytes, from: end)
    }

    private mutating func parsePathAndQuery(
        _ bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(RequestFailure) {
        let end = whole.upperBound
        let pathEnd = try TargetSyntax.path(bytes, start..<end, &segmentEnds)
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

/// The grammar of path and query (RFC 3986, sections 3.3 and 3.4), stricter if parsers could disagree.
enum TargetSyntax {
    /// Validates a path, and returns its end: a question mark or the end of the range.
    ///
    /// Dot segments are rejected, even if they are encoded: clients remove them (RFC 3986, section 5.2.4), and a server
    /// and a proxy that treat them differently protect different resources.
    ///
    /// - Parameter ends: gets the ends of the segments, unless one is encoded.
    static func path(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ ends: inout SegmentEnds
    ) throws(RequestFailure) -> Int {
        var index = range.lowerBound
        var isEncoded = false
        while true {
            index = bytes.end(of: .segment, from: index, to: range.upperBound)
            guard index < range.upperBound, bytes[index] != ASCII.question else { break }
            let byte = bytes[index]
            index &+= 1
            if byte == ASCII.slash {
                ends.append(index &- 1 &- range.lowerBound)
                try rejectDotSegment(bytes, at: index, to: range.upperBound)
            } else if byte == ASCII.percent {
                let decoded = try encodedByte(bytes, at: index, to: range.upperBound)
                guard decoded >= ASCII.space, decoded != ASCII.delete else {
                    throw .malformed("The path contains an encoded control character.")
                }
                isEncoded = true
                index &+= 2
            } else {
                throw .malformed("The path contains a character that must be percent-encoded.")
            }
        }
        if isEncoded {
            ends = SegmentEnds()
            try rejectInvalidUTF8(bytes, range.lowerBound..<index)
        } else {
            ends.append(index &- range.lowerBound)
        }
        return index
    }

    /// Validates a query.
    static func query(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RequestFailure) {
        let allowed = ByteClass.query
        var index = range.lowerBound
        var isEncoded = false
        while index < range.upperBound {
            let byte = bytes[index]
            index &+= 1
            if byte == ASCII.percent {
                _ = try encodedByte(bytes, at: index, to: range.upperBound)
                isEncoded = true
                index &+= 2
            } else if !allowed.contains(byte) {
                throw .malformed("The query contains a character that must be percent-encoded.")
            }
        }
        if isEncoded { try rejectInvalidUTF8(bytes, range) }
    }

    /// The byte that the two digits at `index` encode.
    private static func encodedByte(
        _ bytes: UnsafeRawBufferPointer, at index: Int, to end: Int
    ) throws(RequestFailure) -> UInt8 {
        guard end - index >= 2, let high = bytes[index].hexadecimalValue, let low = bytes[index + 1].hexadecimalValue
        else {
            throw .malformed("A percent sign in the request target is not followed by two hexadecimal digits.")
        }
        return high << 4 | low
    }

    /// Throws if the segment at `start` is `.` or `..`, plain or encoded.
    @inline(__always)
    private static func rejectDotSegment(
        _ bytes: UnsafeRawBufferPointer, at start: Int, to end: Int
    ) throws(RequestFailure) {
        guard start < end, bytes[start] == ASCII.dot || bytes[start] == ASCII.percent else { return }
        try rejectDots(bytes, at: start, to: end)
    }

    private static func rejectDots(
        _ bytes: UnsafeRawBufferPointer, at start: Int, to end: Int
    ) throws(RequestFailure) {
        var index = start
        while index < end, bytes[index] != ASCII.slash, bytes[index] != ASCII.question {
            if bytes[index] == ASCII.dot {
                index += 1
            } else if bytes.hasText("%2e", in: index..<min(index + 3, end)) {
                index += 3
            } else {
                return
            }
        }
        // Three or more dots are an ordinary name. An encoded dot counts as one.
        guard index > start else { return }
        let dots = bytes[start..<index].count { $0 == ASCII.dot || $0 == ASCII.percent }
        if dots <= 2 { throw .malformed("The path contains a dot segment.") }
    }

    private static func rejectInvalidUTF8(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestFailure) {
        let decoded = PercentEncoding.decode(bytes[range], plusIsSpace: false)
        guard String(validating: decoded, as: UTF8.self) != nil else {
            throw .malformed("The request target contains encoded bytes that are not UTF-8.")
        }
    }
}

/// The grammar of `uri-host [ ":" port ]` (RFC 9110, section 7.2; RFC 3986, section 3.2.2).
enum AuthoritySyntax {
    /// Whether the bytes are a nonempty host with an optional port. User information is rejected (RFC 9110, section
    /// 4.2.4).
    static func isValid(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, portNeeded: Bool) -> Bool {
        guard let hostEnd = hostEnd(bytes, range), hostEnd > range.lowerBound else { return false }
        if hostEnd == range.upperBound { return !portNeeded }
        guard bytes[hostEnd] == ASCII.colon else { return false }
        let port = (hostEnd + 1)..<range.upperBound
        if port.isEmpty { return !portNeeded }
        guard let number = DecimalNumber.parse(bytes, port) else { return false }
        return number <= 65535
    }

    private static func hostEnd(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard let first = range.first else { return nil }
        if bytes[first] == ASCII.leftBracket { return addressEnd(bytes, range) }
        var index = first
        while true {
            index = bytes.end(of: .registeredName, from: index, to: range.upperBound)
            guard index < range.upperBound, bytes[index] != ASCII.colon else { return index }
            guard bytes[index] == ASCII.percent, range.upperBound - index > 2,
                bytes[index + 1].hexadecimalValue != nil, bytes[index + 2].hexadecimalValue != nil
            else { return nil }
            index += 3
        }
    }

    /// The end of an IPv6 literal. Its groups are not validated, because the server never connects to it.
    private static func addressEnd(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        let allowed = ByteClass.address
        var colons = 0
        for index in range.dropFirst() {
            if bytes[index] == ASCII.rightBracket { return colons >= 2 ? index + 1 : nil }
            guard allowed.contains(bytes[index]) else { return nil }
            if bytes[index] == ASCII.colon { colons += 1 }
        }
        return nil
    }
}
