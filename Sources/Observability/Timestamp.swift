import HTTP

/// Writes moments, which are milliseconds since 1970-01-01T00:00:00Z.
package enum Timestamp {
    /// The moment in UTC (RFC 3339): `2026-10-07T09:05:03.007Z`.
    ///
    /// A moment before the year 0 or after the year 9999 becomes the nearest moment in them.
    package static func rfc3339(_ unixMilliseconds: Int) -> String {
        let time = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let millisecond = ((time % 86_400_000) + 86_400_000) % 86_400_000
        let date = HTTPDate.civil((time - millisecond) / 86_400_000)
        let second = millisecond / 1000
        return String(unsafeUninitializedCapacity: 24) { buffer in
            var text = DigitWriter(buffer)
            text.write(date.year, width: 4, then: "-")
            text.write(date.month, width: 2, then: "-")
            text.write(date.day, width: 2, then: "T")
            text.write(second / 3600, width: 2, then: ":")
            text.write(second / 60 % 60, width: 2, then: ":")
            text.write(second % 60, width: 2, then: ".")
            text.write(millisecond % 1000, width: 3, then: "Z")
            return text.count
        }
    }
}

/// Writes numbers of a fixed width into memory that is large enough.
private struct DigitWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    mutating func write(_ number: Int, width: Int, then separator: Unicode.Scalar) {
        var rest = number
        for index in (count..<count + width).reversed() {
            buffer[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
        buffer[count + width] = UInt8(ascii: separator)
        count += width + 1
    }
}
