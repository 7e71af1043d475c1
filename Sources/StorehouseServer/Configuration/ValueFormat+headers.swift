import JSON

extension ValueFormat<[String: Secret]> {
    /// Header fields (RFC 9110, section 5): an object of strings, in text `Name: value` with commas between them.
    ///
    /// Their values are secret. One that holds a comma can stand in a file only.
    static var headers: ValueFormat { named("header name") }

    /// Fields of a body: an object of strings, as headers are.
    static var fields: ValueFormat { named("field name") }

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
                throw ValueMismatch(detail: "has a name that is no \(kind)")
            }
            guard let text = value.asString, !text.hasControlCharacters else {
                throw ValueMismatch(detail: "has a value for \(name) that is not a text of one line")
            }
            guard names.insert(name.lowercased()).inserted else {
                throw ValueMismatch(detail: "has \(name) twice; case makes no difference")
            }
            fields[name] = Secret(text)
        }
        return fields
    }

    /// The array where the text cannot be an object, so that reading it fails.
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
