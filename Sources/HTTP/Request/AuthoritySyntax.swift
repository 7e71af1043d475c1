/// The grammar of `uri-host [ ":" port ]` (RFC 9110, section 7.2; RFC 3986, section 3.2.2).
enum AuthoritySyntax {
    /// Whether the bytes are a host that is not empty and perhaps a port; never with user information
    /// (RFC 9110, section 4.2.4).
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
        let allowed = ByteClass.registeredName
        var index = first
        while index < range.upperBound, bytes[index] != ASCII.colon {
            if bytes[index] == ASCII.percent {
                guard range.upperBound - index > 2, bytes[index + 1].hexadecimalValue != nil,
                    bytes[index + 2].hexadecimalValue != nil
                else { return nil }
                index += 2
            } else if !allowed.contains(bytes[index]) {
                return nil
            }
            index += 1
        }
        return index
    }

    /// The end of an IPv6 literal. Its groups are not counted: nothing here connects to it.
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
