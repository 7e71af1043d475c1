extension UnsafeRawBufferPointer {
    /// The first offset in `start..<end` whose byte is below `floor` or is DEL; `end` if there is none.
    ///
    /// Examines eight bytes at a time: the subtraction sets the top bit of a byte below `floor`, and false positives
    /// occur only behind the first match. `end` must not exceed `count`, and `floor` must not exceed 0x80.
    @inline(__always)
    func firstControl(from start: Int, to end: Int, below floor: UInt8) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let low = (word &- ones &* UInt64(floor)) & ~word
            let flipped = word ^ (ones &* UInt64(ASCII.delete))
            let hits = (low | ((flipped &- ones) & ~flipped)) & tops
            if hits != 0 { return index &+ hits.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < end, self[index] >= floor, self[index] != ASCII.delete { index &+= 1 }
        return index
    }

    /// Whether the bytes in the range equal this lower-case ASCII text, ignoring case.
    @inline(__always)
    func hasText(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount, range.upperBound <= count else { return false }
        return equals(UnsafeRawPointer(text.utf8Start), in: range)
    }

    private func equals(_ text: UnsafeRawPointer, in range: Range<Int>) -> Bool {
        var offset = 0
        while offset &+ 8 <= range.count {
            let word = loadUnaligned(fromByteOffset: range.lowerBound &+ offset, as: UInt64.self)
            guard word.lowercasedBytes == text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else {
                return false
            }
            offset &+= 8
        }
        while offset < range.count {
            let byte = self[range.lowerBound &+ offset]
            guard byte.lowercased == text.load(fromByteOffset: offset, as: UInt8.self) else { return false }
            offset &+= 1
        }
        return true
    }
}

extension UInt64 {
    /// The eight bytes with ASCII capital letters in lower case.
    ///
    /// The top bits are cleared first. Each addition then sets the top bit of bytes from `A` on, or of bytes after `Z`,
    /// and never carries into the next byte.
    fileprivate var lowercasedBytes: UInt64 {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let rest = self & ~tops
        let (fromA, behindZ) = (rest &+ ones &* 0x3F, rest &+ ones &* 0x25)
        return self | (fromA & ~behindZ & ~self & tops) >> 2
    }
}

/// Parses decimal digits: no sign, no white space, no list.
enum DecimalNumber {
    /// The number, clamped to `Int.max`; nil unless the bytes are one or more digits.
    static func parse(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        parse(bytes[range])
    }

    /// The number, clamped to `Int.max`; nil unless the bytes are one or more digits.
    static func parse(_ bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        var number = 0
        for byte in bytes {
            guard byte >= ASCII.zero, byte <= ASCII.nine else { return nil }
            let (product, tooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, tooLargeToo) = product.addingReportingOverflow(Int(byte - ASCII.zero))
            number = tooLarge || tooLargeToo ? Int.max : sum
        }
        return number
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func appendText(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a text. The contiguous storage, which nearly every string has, is several times faster to append.
    @inline(__always)
    mutating func appendText(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil {
            append(contentsOf: text.utf8)
        }
    }

    /// - Parameter number: must not be negative.
    mutating func appendDecimal(_ number: Int) { appendDigits(number.magnitude, radix: 10) }

    /// Appends lower-case digits.
    ///
    /// - Parameter number: must not be negative.
    mutating func appendHexadecimal(_ number: Int) { appendDigits(number.magnitude, radix: 16) }

    /// Recursive, so that the digits need not be reversed.
    private mutating func appendDigits(_ number: UInt, radix: UInt) {
        let (rest, last) = number.quotientAndRemainder(dividingBy: radix)
        if rest > 0 { appendDigits(rest, radix: radix) }
        let digit = UInt8(truncatingIfNeeded: last)
        append(digit < 10 ? ASCII.zero + digit : 0x57 + digit)
    }
}
