import Platform

/// Writes moments, which are milliseconds since 1970-01-01T00:00:00Z.
package enum Timestamp {
    /// The moment in UTC (RFC 3339): `2026-10-07T09:05:03.007Z`.
    ///
    /// A moment before the year 0 or after the year 9999 becomes the nearest moment in them.
    package static func rfc3339(_ unixMilliseconds: Int) -> String {
        let seconds = CivilTime.seconds
        let time = min(max(unixMilliseconds, seconds.lowerBound * 1000), seconds.upperBound * 1000 + 999)
        let millisecond = ((time % 1000) + 1000) % 1000
        let date = CivilTime(unixTime: (time - millisecond) / 1000)
        return String(unsafeUninitializedCapacity: 24) { buffer in
            var text = DigitWriter(buffer)
            text.write(date.year, width: 4, then: "-")
            text.write(date.month, width: 2, then: "-")
            text.write(date.day, width: 2, then: "T")
            text.write(date.hour, width: 2, then: ":")
            text.write(date.minute, width: 2, then: ":")
            text.write(date.second, width: 2, then: ".")
            text.write(millisecond, width: 3, then: "Z")
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
