/// The exact text of a JSON number that is not written as a 64-bit integer.
///
/// Equality compares the texts: `1.0` and `1.00` differ.
public struct JSONNumber: Sendable, Hashable {
    /// The number as it was written; always valid JSON.
    package let text: String

    /// The shortest text that parses to the same `Double`; nil for infinities and NaN, which JSON does not have.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    init(validText: String) {
        text = validText
    }

    /// The nearest `Double`; nil if the number overflows.
    package var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The value if it is a 64-bit integer: `1.0` and `1e2` are, `1.5` and `1e99` are not.
    ///
    /// Takes time linear in the text, however large the exponent is.
    package var exactInteger: Int? {
        var decimal = Decimal()
        for byte in text.utf8 {
            decimal.read(byte)
        }
        return decimal.integer
    }
}

/// Reads a number byte by byte, and stores no more digits than a 64-bit integer has.
private struct Decimal {
    private enum Part {
        case whole, fraction, exponent
    }

    private var part = Part.whole
    private var isNegative = false
    private var magnitude: UInt64 = 0
    /// Zeros behind the last nonzero digit. They count only if another nonzero digit follows.
    private var pendingZeros = 0
    private var isTooLong = false
    private var fractionDigits = 0
    private var exponent = 0
    private var isExponentNegative = false

    mutating func read(_ byte: UInt8) {
        switch byte {
        case Byte.minus where part == .exponent: isExponentNegative = true
        case Byte.minus: isNegative = true
        case Byte.dot: part = .fraction
        case Byte.upperE, Byte.lowerE: part = .exponent
        case Byte.zero...Byte.nine: read(digit: UInt64(byte - Byte.zero))
        default: break
        }
    }

    private mutating func read(digit: UInt64) {
        if part == .exponent {
            // No text is long enough to compensate for an exponent of 2^50, and this sum cannot overflow.
            exponent = min(exponent * 10 + Int(digit), 1 << 50)
            return
        }
        if part == .fraction {
            fractionDigits += 1
        }
        if digit == 0 {
            pendingZeros += magnitude == 0 ? 0 : 1
        } else {
            appendZeros(pendingZeros)
            pendingZeros = 0
            append(digit)
        }
    }

    private mutating func append(_ digit: UInt64) {
        let (tenfold, overflows) = magnitude.multipliedReportingOverflow(by: 10)
        let (sum, overflowsToo) = tenfold.addingReportingOverflow(digit)
        isTooLong = isTooLong || overflows || overflowsToo
        magnitude = isTooLong ? 1 : sum
    }

    private mutating func appendZeros(_ count: Int) {
        isTooLong = isTooLong || count > 19
        for _ in 0..<min(count, 20) {
            append(0)
        }
    }

    var integer: Int? {
        guard magnitude > 0 else { return 0 }
        let zeros = pendingZeros - fractionDigits + (isExponentNegative ? -exponent : exponent)
        guard !isTooLong, zeros >= 0, zeros <= 19 else { return nil }
        var whole = self
        whole.appendZeros(zeros)
        guard !whole.isTooLong else { return nil }
        return Int(magnitude: whole.magnitude, isNegative: isNegative)
    }
}

extension Int {
    /// Nil if the number does not fit.
    init?(magnitude: UInt64, isNegative: Bool) {
        if isNegative {
            guard magnitude <= Int.min.magnitude else { return nil }
            self = Int(truncatingIfNeeded: 0 &- magnitude)
        } else {
            guard let value = Int(exactly: magnitude) else { return nil }
            self = value
        }
    }
}
