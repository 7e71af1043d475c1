import HTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Moments as milliseconds since 1970-01-01T00:00:00Z, and how they are written.
package enum Timestamp {
    /// What the system's clock says now. It may step back.
    package static var now: Int {
        Int((Date().timeIntervalSince1970 * 1000).rounded(.down))
    }

    /// The moment in UTC (RFC 3339): `2026-10-07T09:05:03.007Z`.
    ///
    /// Moments before the year 0 and after the year 9999 are taken for the nearest one that the format can write.
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
        for place in (count..<count + width).reversed() {
            buffer[place] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
        buffer[count + width] = UInt8(ascii: separator)
        count += width + 1
    }
}

extension Duration {
    /// The length in seconds, exact to the microsecond.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1e6 + Double(attoseconds / 1_000_000_000_000)) / 1e6
    }
}
