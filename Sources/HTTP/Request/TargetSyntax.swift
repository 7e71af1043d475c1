/// The grammar of path and query (RFC 3986, sections 3.3 and 3.4), stricter where two readers could differ.
enum TargetSyntax {
    /// Checks a path; returns where it ends, which is at a question mark or at the end of the range.
    ///
    /// Dot segments, encoded ones too, are refused: a client removes them before it sends (RFC 3986, section 5.2.4),
    /// and a server and a proxy that disagree about them guard different resources.
    static func path(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RequestFailure) -> Int {
        let allowed = ByteClass.segment
        var index = range.lowerBound
        var isEncoded = false
        while true {
            while index < range.upperBound, allowed.contains(bytes[index]) { index &+= 1 }
            guard index < range.upperBound, bytes[index] != ASCII.question else { break }
            let byte = bytes[index]
            index &+= 1
            if byte == ASCII.slash {
                try refuseDotSegment(bytes, at: index, to: range.upperBound)
            } else if byte == ASCII.percent {
                let decoded = try encodedByte(bytes, at: index, to: range.upperBound)
                guard decoded >= ASCII.space, decoded != ASCII.delete else {
                    throw .malformed("The path encodes a control character.")
                }
                isEncoded = true
                index &+= 2
            } else {
                throw .malformed("The path holds a character that must be percent-encoded.")
            }
        }
        if isEncoded { try refuseInvalidText(bytes, range.lowerBound..<index) }
        return index
    }

    /// Checks a query.
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
                throw .malformed("The query holds a character that must be percent-encoded.")
            }
        }
        if isEncoded { try refuseInvalidText(bytes, range) }
    }

    /// The byte that two digits after a percent sign encode.
    private static func encodedByte(
        _ bytes: UnsafeRawBufferPointer, at index: Int, to end: Int
    ) throws(RequestFailure) -> UInt8 {
        guard end - index >= 2, let high = bytes[index].hexadecimalValue, let low = bytes[index + 1].hexadecimalValue
        else {
            throw .malformed("A percent sign in the request target is not followed by two hexadecimal digits.")
        }
        return high << 4 | low
    }

    /// Looks whether the segment that starts here is `.` or `..`, each dot as it is or encoded.
    private static func refuseDotSegment(
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
        // Three dots and more are a name; an encoded one counts as one.
        guard index > start else { return }
        let dots = bytes[start..<index].count { $0 == ASCII.dot || $0 == ASCII.percent }
        if dots <= 2 { throw .malformed("The path holds a dot segment.") }
    }

    private static func refuseInvalidText(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(RequestFailure) {
        let decoded = PercentEncoding.decode(bytes[range], plusIsSpace: false)
        guard String(validating: decoded, as: UTF8.self) != nil else {
            throw .malformed("The request target encodes bytes that are not UTF-8.")
        }
    }
}
