import HTTP
import JSON

extension ValueFormat<String> {
    /// A text without control characters, whose length is counted in characters.
    static func text(_ expected: String, _ length: ClosedRange<Int>) -> ValueFormat {
        ValueFormat(
            expected, json: { .string($0) },
            read: { value in
                guard let text = value.asString, length.contains(text.count), !text.hasControlCharacters else {
                    return nil
                }
                return text
            },
            write: { .string($0) })
    }

    /// An absolute URL that can be called.
    ///
    /// - Parameter headers: the key that is the place for credentials.
    static func url(headers: String) -> ValueFormat {
        let expected = "an http or https URL with a host"
        return ValueFormat(
            expected: expected,
            read: { value throws(ValueMismatch) in
                guard let text = value.asString, let url = URLParts(text), url.isWeb, url.isStrict else {
                    // What stands before an @ may be a password.
                    let mayTell = value.asString?.contains("@") != true
                    throw ValueMismatch(detail: mayTell ? nil : "must be \(expected)")
                }
                guard !url.hasUserInfo else {
                    throw ValueMismatch(
                        detail:
                            "must not hold a user name or a password; send them in an Authorization header (\(headers))"
                    )
                }
                return text
            },
            write: { .string($0) }, json: { .string($0) })
    }

    /// What a browser sends as `Origin`, or `*` for any.
    static var origin: ValueFormat {
        ValueFormat(
            "an origin such as \"https://example.org\"", json: { .string($0) },
            read: { value in
                guard let text = value.asString else { return nil }
                return text == "*" || URLParts(text)?.isOrigin == true ? text : nil
            },
            write: { .string($0) })
    }
}

extension ValueFormat<Secret> {
    /// A text that is never shown, of visible ASCII so that it can travel in a header.
    static func secret(atLeast length: Int) -> ValueFormat {
        var format = ValueFormat(
            "a text of at least \(length) visible ASCII characters", json: { .string($0) },
            read: { value in
                guard let text = value.asString, text.utf8.count >= length,
                    text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
                else { return nil }
                return Secret(text)
            },
            write: { .string($0.text) })
        format.isSecret = true
        return format
    }
}

extension ValueFormat<StorageKey> {
    static var storageKey: ValueFormat {
        var format = ValueFormat(
            "\(StorageKey.length) bytes in base64 or hexadecimal, as `openssl rand -base64 32` makes them",
            json: { .string($0) },
            read: { value in value.asString.flatMap { StorageKey($0) } },
            write: { .string($0.text) })
        format.isSecret = true
        return format
    }
}

extension ValueFormat<JSONPointer> {
    static var pointer: ValueFormat {
        ValueFormat(
            "a JSON Pointer such as \"/animal\"", json: { .string($0) },
            read: { value in value.asString.flatMap { try? JSONPointer($0) } },
            write: { .string($0.description) })
    }
}

extension String {
    var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
