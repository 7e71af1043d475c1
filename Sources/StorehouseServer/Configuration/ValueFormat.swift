import JSON

/// How the values of a key are written, read and described.
struct ValueFormat<Value: Sendable>: Sendable {
    /// What is allowed, as it follows "must be": `a whole number from 0 to 65535`.
    let expected: String
    /// True where no value may be shown.
    var isSecret = false
    let read: @Sendable (JSONValue) throws(ValueMismatch) -> Value
    let write: @Sendable (Value) -> JSONValue
    /// The JSON that the text of an environment variable or of a flag stands for.
    let json: @Sendable (_ text: String) -> JSONValue
}

/// Why a value is not allowed.
struct ValueMismatch: Error {
    /// What to say instead of "must be …".
    var detail: String?
}

extension ValueFormat {
    /// A value that is read by taking it, or not.
    init(
        _ expected: String, json: @escaping @Sendable (String) -> JSONValue,
        read: @escaping @Sendable (JSONValue) -> Value?, write: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.init(
            expected: expected,
            read: { value throws(ValueMismatch) in
                guard let read = read(value) else { throw ValueMismatch() }
                return read
            },
            write: write, json: json)
    }

    /// A text as JSON where it is JSON, else as a string, which no format of a number takes.
    static func plain(_ text: String) -> JSONValue {
        (try? JSONValue(parsing: text)) ?? .string(text)
    }

    /// The same format, with null for no value; an empty text is null too, because that is how scripts leave a variable
    /// unset.
    func orNull() -> ValueFormat<Value?> {
        ValueFormat<Value?>(
            expected: expected + ", or null", isSecret: isSecret,
            read: { value throws(ValueMismatch) in value.isNull ? nil : try read(value) },
            write: { $0.map(write) ?? .null },
            json: { $0.isEmpty ? .null : json($0) })
    }

    /// A list of such values, in text with commas between them.
    func list(_ plural: String) -> ValueFormat<[Value]> {
        ValueFormat<[Value]>(
            expected: plural, isSecret: isSecret,
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

/// The elements of a list in text: between commas, without the spaces around them; none in an empty text.
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
