/// Percent-encoding (RFC 3986, section 2.1).
enum PercentEncoding {
    /// The bytes without their percent-encoding. What is no encoding stays as it is; the parser has refused it before.
    ///
    /// - Parameter plusIsSpace: whether `+` stands for a space, as in the queries that forms make.
    static func decode(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.underestimatedCount)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            if byte == ASCII.percent {
                var ahead = iterator
                if let high = ahead.next()?.hexadecimalValue, let low = ahead.next()?.hexadecimalValue {
                    decoded.append(high << 4 | low)
                    iterator = ahead
                    continue
                }
            }
            decoded.append(byte == ASCII.plus && plusIsSpace ? ASCII.space : byte)
        }
        return decoded
    }

    /// The decoded text, without a detour where nothing is encoded.
    static func string(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> String {
        if bytes.contains(where: { $0 == ASCII.percent || ($0 == ASCII.plus && plusIsSpace) }) {
            return String(decoding: decode(bytes, plusIsSpace: plusIsSpace), as: UTF8.self)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
