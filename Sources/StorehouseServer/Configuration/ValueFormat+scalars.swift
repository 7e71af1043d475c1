import JSON

extension ValueFormat<Int> {
    static func integer(_ range: ClosedRange<Int>) -> ValueFormat {
        ValueFormat(
            "a whole number from \(range.lowerBound) to \(range.upperBound)", json: plain,
            read: { value in value.asInteger.flatMap { range.contains($0) ? $0 : nil } },
            write: { .integer($0) })
    }
}

extension ValueFormat<Bool> {
    static var boolean: ValueFormat {
        ValueFormat("true or false", json: plain, read: { $0.asBool }, write: { .bool($0) })
    }
}

extension ValueFormat<Duration> {
    /// Seconds, fractions allowed, within `range` in milliseconds.
    static func seconds(milliseconds range: ClosedRange<Int>) -> ValueFormat {
        let lengths = Duration.milliseconds(range.lowerBound)...Duration.milliseconds(range.upperBound)
        let (least, most) = (lengths.lowerBound.secondsAsJSON, lengths.upperBound.secondsAsJSON)
        return ValueFormat(
            "a number of seconds from \(least) to \(most)", json: plain,
            read: { value in Duration(seconds: value).flatMap { lengths.contains($0) ? $0 : nil } },
            write: { $0.secondsAsJSON })
    }
}

extension Duration {
    /// The length, rounded to the microsecond; nil for what is no number, or beyond all reason.
    fileprivate init?(seconds value: JSONValue) {
        let seconds: Double? =
            switch value {
            case .integer(let whole): Double(whole)
            case .number(let number): number.double
            default: nil
            }
        guard let seconds, abs(seconds) < 1e12 else { return nil }
        self = .microseconds(Int64((seconds * 1e6).rounded()))
    }

    /// The length in seconds, a whole number where it is one.
    fileprivate var secondsAsJSON: JSONValue {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return .integer(Int(seconds)) }
        return JSONNumber(inSeconds).map(JSONValue.number) ?? .null
    }
}

extension ValueFormat where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration.
    static var choice: ValueFormat {
        ValueFormat(
            Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "), json: { .string($0) },
            read: { $0.asString.flatMap(Value.init(rawValue:)) }, write: { .string($0.rawValue) })
    }
}
