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

    /// The moment that a text of ``rfc3339(_:)`` names; nil for any other text.
    package static func milliseconds(of text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24 else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].allSatisfy { (48...57).contains($0) }
                ? bytes[range].reduce(0) { $0 * 10 + Int($1) - 48 } : nil
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), let millisecond = number(20..<23)
        else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        (date.tm_hour, date.tm_min, date.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        let time = Int(timegm(&date)) * 1000 + millisecond
        // Punctuation, and numbers that no date has.
        return rfc3339(time) == text ? time : nil
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
