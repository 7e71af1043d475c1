package import JSON
import Platform

/// How the values of a key are read, written and described.
package struct ValueFormat<Value: Sendable>: Sendable {
    /// The allowed values, as they follow "must be": `a whole number from 0 to 65535`.
    let expected: String
    /// True if no value may be shown.
    var isSecret = false
    /// Hides the secret parts of a text for output; nil if there are none.
    var mask: (@Sendable (String) -> String)?
    /// The values as text if they are few words, else empty.
    var words: [String] = []
    let read: @Sendable (JSONValue) throws(ValueMismatch) -> Value
    let write: @Sendable (Value) -> JSONValue
    /// The JSON value of an environment variable or a flag.
    let json: @Sendable (_ text: String) -> JSONValue
}

/// Why a value is not allowed.
package struct ValueMismatch: Error {
    /// The text instead of "must be …".
    var detail: String?
}

extension ValueFormat {
    /// A format whose values have no other error than that they are not allowed.
    init(
        _ expected: String, words: [String] = [], json: @escaping @Sendable (String) -> JSONValue,
        read: @escaping @Sendable (JSONValue) -> Value?, write: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.init(
            expected: expected, words: words,
            read: { value throws(ValueMismatch) in
                guard let read = read(value) else { throw ValueMismatch() }
                return read
            },
            write: write, json: json)
    }

    /// The text as JSON if it is JSON, else as a string, which no format of a number accepts.
    static func plain(_ text: String) -> JSONValue {
        (try? JSONValue(parsing: text)) ?? .string(text)
    }

    /// This format with null for no value. An empty text is null too, because scripts leave a variable empty to unset
    /// it.
    package func orNull() -> ValueFormat<Value?> {
        ValueFormat<Value?>(
            expected: expected + ", or null", isSecret: isSecret, mask: mask, words: words,
            read: { value throws(ValueMismatch) in value.isNull ? nil : try read(value) },
            write: { $0.map(write) ?? .null },
            json: { $0.isEmpty ? .null : json($0) })
    }

    /// This format for values that are stored as JSON.
    package var asJSON: ValueFormat<JSONValue> {
        ValueFormat<JSONValue>(
            expected: expected, isSecret: isSecret, mask: mask, words: words,
            read: { value throws(ValueMismatch) in write(try read(value)) }, write: { $0 }, json: json)
    }

    /// A list of such values; in text, separated by commas.
    package func list(_ plural: String) -> ValueFormat<[Value]> {
        ValueFormat<[Value]>(
            expected: plural, isSecret: isSecret, mask: mask,
            read: { value throws(ValueMismatch) in
                guard let elements = value.asArray else { throw ValueMismatch() }
                var values: [Value] = []
                for element in elements { values.append(try read(element)) }
                return values
            },
            write: { .array($0.map(write)) },
            json: { .array(listElements(of: $0).map(json)) })
    }
}

/// The elements of a list in text, which commas separate, without the spaces around them; none in an empty text.
func listElements(of text: String) -> [String] {
    let isBlank = text.allSatisfy(\.isWhitespace)
    return isBlank ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed() }
}

extension StringProtocol {
    /// Without white space at both ends.
    func trimmed() -> String {
        guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[...last].drop(while: \.isWhitespace))
    }
}

extension ValueFormat<Int> {
    package static func integer(_ range: ClosedRange<Int>) -> ValueFormat {
        ValueFormat(
            "a whole number from \(range.lowerBound) to \(range.upperBound)", json: plain,
            read: { value in value.asInteger.flatMap { range.contains($0) ? $0 : nil } },
            write: { .integer($0) })
    }
}

extension ValueFormat<Double> {
    static func decimal(_ range: ClosedRange<Double>) -> ValueFormat {
        let bounds = [range.lowerBound, range.upperBound].map(\.asJSON)
        return ValueFormat(
            "a number from \(bounds[0]) to \(bounds[1])", json: plain,
            read: { value in value.asDouble.flatMap { range.contains($0) ? $0 : nil } },
            write: { $0.asJSON })
    }
}

extension Double {
    /// As an integer if it is one.
    fileprivate var asJSON: JSONValue {
        Int(exactly: self).map(JSONValue.integer) ?? JSONNumber(self).map(JSONValue.number) ?? .null
    }
}

extension JSONValue {
    fileprivate var asDouble: Double? {
        switch self {
        case .integer(let whole): Double(whole)
        case .number(let number): number.double
        default: nil
        }
    }
}

extension ValueFormat<Bool> {
    package static var boolean: ValueFormat {
        ValueFormat("true or false", words: ["true", "false"], json: plain, read: { $0.asBool }, write: { .bool($0) })
    }
}

extension ValueFormat<Duration> {
    /// Seconds, fractions allowed, within `range` in milliseconds.
    package static func seconds(milliseconds range: ClosedRange<Int>) -> ValueFormat {
        let lengths = Duration.milliseconds(range.lowerBound)...Duration.milliseconds(range.upperBound)
        let (least, most) = (lengths.lowerBound.secondsAsJSON, lengths.upperBound.secondsAsJSON)
        return ValueFormat(
            "a number of seconds from \(least) to \(most)", json: plain,
            read: { value in Duration(seconds: value).flatMap { lengths.contains($0) ? $0 : nil } },
            write: { $0.secondsAsJSON })
    }
}

extension Duration {
    /// The duration, rounded to the microsecond; nil for a value that is no number or is 1e12 or more.
    fileprivate init?(seconds value: JSONValue) {
        guard let seconds = value.asDouble, abs(seconds) < 1e12 else { return nil }
        self = .microseconds(Int64((seconds * 1e6).rounded()))
    }

    /// The duration in seconds, as an integer if it is one.
    fileprivate var secondsAsJSON: JSONValue {
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? .integer(Int(seconds)) : inSeconds.asJSON
    }
}

extension ValueFormat where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration.
    package static var choice: ValueFormat {
        let words = ValueFormat<String>.word(of: Value.allCases.map(\.rawValue))
        return ValueFormat(
            words.expected, words: words.words, json: words.json, read: { $0.asString.flatMap(Value.init(rawValue:)) },
            write: { .string($0.rawValue) })
    }
}

extension ValueFormat<String> {
    /// One of these words.
    package static func word(of words: [String]) -> ValueFormat {
        ValueFormat(
            words.map { "\"\($0)\"" }.joined(separator: " or "), words: words, json: { .string($0) },
            read: { value in value.asString.flatMap { words.contains($0) ? $0 : nil } }, write: { .string($0) })
    }
}
