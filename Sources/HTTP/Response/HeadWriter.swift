/// Writes the head of an answer, piece behind piece, into memory that has room for all of it: an array would ask at each
/// piece whether it is shared and large enough.
struct HeadWriter {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    private var used = 0

    /// Appends what `write` writes, `most` bytes at most.
    static func append(atMost most: Int, to output: inout [UInt8], _ write: (inout HeadWriter) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) { room in
            guard let start = room.baseAddress else { return }
            var writer = HeadWriter(start: start, capacity: most)
            write(&writer)
            output.append(contentsOf: UnsafeRawBufferPointer(start: start, count: writer.used))
        }
    }

    private init(start: UnsafeMutableRawPointer, capacity: Int) {
        self.start = start
        self.capacity = capacity
    }

    /// Its length is known when the program is compiled, so that most are a store or two.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        bytes(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        precondition(bytes.count <= capacity - used, "a head was given too little room")
        (start + used).copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
    }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        withUnsafeBytes(of: byte) { bytes($0) }
    }

    /// Its bytes are nearly always at hand as one piece.
    mutating func text(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ bytes(UnsafeRawBufferPointer($0)) }) == nil {
            Array(text.utf8).withUnsafeBytes { bytes($0) }
        }
    }

    /// Writes a text with every control character but tab made a space, so that it cannot end its line.
    mutating func fieldValue(_ text: String) {
        var index = used
        self.text(text)
        let written = UnsafeMutableRawBufferPointer(start: start, count: used)
        while true {
            index = UnsafeRawBufferPointer(written).firstControl(from: index, to: used, below: ASCII.space)
            guard index < used else { return }
            if written[index] != ASCII.tab { written[index] = ASCII.space }
            index += 1
        }
    }

    /// Writes a number that is not negative in decimal digits.
    mutating func decimal(_ number: Int) {
        let (rest, last) = number.quotientAndRemainder(dividingBy: 10)
        if rest > 0 { decimal(rest) }
        byte(ASCII.zero + UInt8(truncatingIfNeeded: last))
    }
}

/// A moment as HTTP writes it, IMF-fixdate (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package struct HTTPDate: Sendable, Hashable {
    /// The 29 bytes of the date.
    package let bytes: [UInt8]

    /// Writes the moment so many seconds after 1970-01-01T00:00:00Z. Moments before the year 0 and after the year 9999
    /// are taken for the nearest one that the format can write.
    package init(unixTime: Int) {
        let time = Swift.min(Swift.max(unixTime, -62_167_219_200), 253_402_300_799)
        let second = ((time % 86400) + 86400) % 86400
        let day = (time - second) / 86400
        let date = Self.civil(day)
        let weekday = ((day + 4) % 7 + 7) % 7
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes.append(contentsOf: "SunMonTueWedThuFriSat".utf8.dropFirst(weekday * 3).prefix(3))
        bytes.appendText(", ")
        bytes.appendPadded(date.day)
        bytes.append(ASCII.space)
        bytes.append(contentsOf: "JanFebMarAprMayJunJulAugSepOctNovDec".utf8.dropFirst((date.month - 1) * 3).prefix(3))
        bytes.append(ASCII.space)
        bytes.appendPadded(date.year / 100)
        bytes.appendPadded(date.year % 100)
        bytes.append(ASCII.space)
        bytes.appendPadded(second / 3600)
        bytes.append(ASCII.colon)
        bytes.appendPadded(second / 60 % 60)
        bytes.append(ASCII.colon)
        bytes.appendPadded(second % 60)
        bytes.appendText(" GMT")
        self.bytes = bytes
    }

    /// The date in the Gregorian calendar of a day counted from 1970-01-01 (H. Hinnant, "chrono-compatible low-level
    /// date algorithms"): years begin in March, so that the leap day is the last of its year, and 400 of them repeat.
    package static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension [UInt8] {
    fileprivate mutating func appendPadded(_ number: Int) {
        if number < 10 { append(ASCII.zero) }
        appendDecimal(number)
    }
}
