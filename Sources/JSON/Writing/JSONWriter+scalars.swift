extension JSONWriter {
    /// Writes `null`.
    @inlinable @inline(__always)
    public mutating func null() {
        literal("null")
    }

    /// Writes `true` or `false`.
    @inlinable @inline(__always)
    public mutating func bool(_ value: Bool) {
        if value {
            literal("true")
        } else {
            literal("false")
        }
    }

    /// Writes a whole number.
    @inlinable
    public mutating func integer(_ value: Int) {
        append(atMost: 20) { target in
            if value >= 0, value < 10 {
                target.pointee = Byte.zero &+ UInt8(truncatingIfNeeded: value)
                return 1
            }
            return Self.writeDigits(of: value, to: target)
        }
    }

    /// Writes the shortest number that reads back as the same `Double`; `null` for infinities and NaN.
    @inlinable
    public mutating func double(_ value: Double) {
        if value.isFinite {
            raw(value.description.utf8)
        } else {
            null()
        }
    }

    @inlinable @inline(__always)
    mutating func literal(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        append(atMost: length) { target in
            Self.copy(text.utf8Start, to: target, count: length)
            return length
        }
    }

    /// Writes the digits, 20 bytes at most, and answers how many bytes they are.
    @usableFromInline
    static func writeDigits(of value: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
        target.pointee = Byte.minus
        let sign = value < 0 ? 1 : 0
        var (digits, rest) = (1, value.magnitude)
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = value.magnitude
        for offset in stride(from: sign + digits - 1, through: sign, by: -1) {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            target[offset] = Byte.zero &+ UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        return sign + digits
    }
}
