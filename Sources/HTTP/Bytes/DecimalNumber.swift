/// Decimal digits and nothing else: no sign, no space, no list.
enum DecimalNumber {
    /// The number, `Int.max` where it is larger than that, nil where the bytes are not one or more digits.
    static func parse(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        parse(bytes[range])
    }

    /// The same of any bytes.
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
