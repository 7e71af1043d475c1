import HTTP
package import JSON

extension ValueFormat<String> {
    /// A text without control characters. `length` counts characters.
    package static func text(_ expected: String, _ length: ClosedRange<Int>) -> ValueFormat {
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

    /// An absolute http or https URL.
    ///
    /// - Parameter headers: the key for credentials; nil if none can be sent.
    package static func url(headers: String?) -> ValueFormat {
        let expected = "an http or https URL with a host"
        return ValueFormat(
            expected: expected, mask: maskedURL,
            read: { value throws(ValueMismatch) in
                guard let text = value.asString, let url = URLParts(text), url.isWeb, url.isStrict else {
                    // The part before an @ may be a password.
                    let mayShow = value.asString?.contains("@") != true
                    throw ValueMismatch(detail: mayShow ? nil : "must be \(expected)")
                }
                guard !url.hasUserInfo else {
                    throw ValueMismatch(
                        detail: "must not hold a user name or a password"
                            + (headers.map { "; send them in an Authorization header (\($0))" } ?? "")
                    )
                }
                return text
            },
            write: { .string($0) }, json: { .string($0) })
    }

    /// A text that may hold a password before an `@`. What it must be is checked when it is used.
    static var redisURL: ValueFormat {
        ValueFormat(
            expected: "a URL that begins with redis:// or unix://", mask: maskedURL,
            read: { value throws(ValueMismatch) in
                guard let text = value.asString, text.utf8.count <= 4096, !text.hasControlCharacters else {
                    throw ValueMismatch(detail: "must be a URL that begins with redis:// or unix://")
                }
                return text
            },
            write: { .string($0) }, json: { .string($0) })
    }

    /// The first part of names.
    static var keyPrefix: ValueFormat {
        ValueFormat(
            "1 to 64 letters, digits, dots, dashes and underscores", json: { .string($0) },
            read: { value in
                guard let text = value.asString, (1...64).contains(text.utf8.count),
                    text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) })
                else { return nil }
                return text
            },
            write: { .string($0) })
    }

    /// A URL without what may be a secret: user information, and the values of query and fragment.
    ///
    /// The text need not be a URL.
    static func maskedURL(_ text: String) -> String {
        var text = text[...]
        var tail = ""
        if let hash = text.firstIndex(of: "#") {
            tail = "#\(Secret.mask)"
            text = text[..<hash]
        }
        if let question = text.firstIndex(of: "?") {
            let items = text[text.index(after: question)...].split(separator: "&", omittingEmptySubsequences: false)
            let masked = items.map { item in
                item.firstIndex(of: "=").map { item[...$0] + Secret.mask } ?? Substring(Secret.mask)
            }
            tail = "?" + masked.joined(separator: "&") + tail
            text = text[..<question]
        }
        if let at = text.lastIndex(of: "@") {
            let scheme = text[..<at].firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
            text = scheme + Secret.mask + text[at...]
        }
        return text + tail
    }

    /// A host name, or an IP address with or without brackets, as in a `Host` field without a port, or `*` for any.
    static var host: ValueFormat {
        ValueFormat(
            "a host name or an IP address without a port, or \"*\"", json: { .string($0) },
            read: { value in
                guard let text = value.asString else { return nil }
                return text == "*" || HostName.canonical(text) != nil ? text : nil
            },
            write: { .string($0) })
    }

    /// A host with a port, or nothing.
    static var hostAndPort: ValueFormat {
        ValueFormat(
            "empty, or a host name or an IP address with a port, such as \"10.0.0.1:8080\"", json: { .string($0) },
            read: { value in
                value.asString.flatMap { $0.isEmpty || HostAndPort($0) != nil ? $0 : nil }
            },
            write: { .string($0) })
    }

    /// An address to listen on.
    static var listenAddress: ValueFormat {
        ValueFormat(
            "\"unix:\" with an absolute path, or a host with a port", json: { .string($0) },
            read: { value in value.asString.flatMap { ListenAddress($0) == nil ? nil : $0 } },
            write: { .string($0) })
    }

    /// A path that stands before others, or nothing.
    static var basePath: ValueFormat {
        ValueFormat(
            "empty, or a path such as \"/storehouse\" without a slash at its end", json: { .string($0) },
            read: { value in value.asString.flatMap { BasePath.isValid($0) ? $0 : nil } },
            write: { .string($0) })
    }

    /// An IP address or a network.
    static var addressRange: ValueFormat {
        ValueFormat(
            "an IP address or a network such as \"10.0.0.0/8\", or \"unix\"", json: { .string($0) },
            read: { value in value.asString.flatMap { AddressRange($0) == nil ? nil : $0 } },
            write: { .string($0) })
    }

    /// A value of a browser's `Origin` field, or `*` for any.
    package static var origin: ValueFormat {
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
    /// A secret of visible ASCII, so that it can be sent in a header.
    package static func secret(atLeast length: Int) -> ValueFormat {
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

extension ValueFormat<SealingKey> {
    static var storageKey: ValueFormat {
        var format = ValueFormat(
            "\(SealingKey.length) bytes in base64 or hexadecimal, as `openssl rand -base64 32` makes them",
            json: { .string($0) },
            read: { value in value.asString.flatMap { SealingKey($0) } },
            write: { .string($0.text) })
        format.isSecret = true
        return format
    }
}

extension ValueFormat<JSONPointer> {
    package static var pointer: ValueFormat<JSONPointer> { pointer(suchAs: "/animal") }

    /// - Parameter example: is shown where the values are described.
    static func pointer(suchAs example: String) -> ValueFormat<JSONPointer> {
        ValueFormat(
            "a JSON Pointer such as \"\(example)\"", json: { .string($0) },
            read: { value in value.asString.flatMap { try? JSONPointer($0) } },
            write: { .string($0.description) })
    }
}

extension String {
    var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension ValueFormat<[String: Secret]> {
    /// Header fields (RFC 9110, section 5): an object of strings; in text, `Name: value` separated by commas.
    ///
    /// The values are secret. A value with a comma can only be set in a file.
    package static var headers: ValueFormat { named("header name") }

    /// Fields of a body: an object of strings, as for headers.
    package static var fields: ValueFormat { named("field name") }

    private static func named(_ kind: String) -> ValueFormat {
        ValueFormat(
            expected: "an object of \(kind)s with their values", isSecret: true,
            read: { value throws(ValueMismatch) in try fields(of: value, kind) },
            write: { headers in
                .object(JSONObject(headers.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.text)) }))
            },
            json: { json(ofText: $0) })
    }

    private static func fields(of value: JSONValue, _ kind: String) throws(ValueMismatch) -> [String: Secret] {
        guard let object = value.asObject else { throw ValueMismatch() }
        var fields: [String: Secret] = [:]
        var names: Set<String> = []
        for (name, value) in object {
            guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
                throw ValueMismatch(detail: "has a name that is not a \(kind)")
            }
            guard let text = value.asString, !text.hasControlCharacters else {
                throw ValueMismatch(detail: "has a value for \(name) that is not one line of text")
            }
            guard names.insert(name.lowercased()).inserted else {
                throw ValueMismatch(detail: "has \(name) twice; names that differ only in case are the same")
            }
            fields[name] = Secret(text)
        }
        return fields
    }

    /// An array if the text cannot be an object, so that reading it fails.
    private static func json(ofText text: String) -> JSONValue {
        var object = JSONObject()
        for element in listElements(of: text) {
            guard let colon = element.firstIndex(of: ":") else { return .array([]) }
            let name = element[..<colon].trimmed()
            guard object[name] == nil else { return .array([]) }
            object[name] = .string(element[element.index(after: colon)...].trimmed())
        }
        return .object(object)
    }

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
