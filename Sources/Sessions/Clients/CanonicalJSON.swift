import JSON

/// JSON in one spelling: members in the order of their bytes, and numbers without zeros that say nothing.
enum CanonicalJSON {
    /// An action without a payload is the one with an empty payload.
    static func append(action: JSONValue, to json: inout JSONWriter) {
        guard case .object(var members) = action, case .object(let payload)? = members["payload"], payload.isEmpty
        else { return append(action, to: &json) }
        members["payload"] = nil
        append(.object(members), to: &json)
    }

    static func append(_ value: JSONValue, to json: inout JSONWriter) {
        switch value {
        case .number(let number): json.raw(DecimalText.normalized(number.text).utf8)
        case .array(let elements):
            json.array { json in
                for element in elements { append(element, to: &json) }
            }
        case .object(let object):
            json.object { json in
                for (name, value) in object.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
                    json.name(name)
                    append(value, to: &json)
                }
            }
        default: json.value(value)
        }
    }
}

/// Numbers in one spelling.
enum DecimalText {
    /// The digits without zeros at either end, and the power of ten that they are multiplied by: `15e-1` for `1.50`; as an
    /// integer of 64 bits is written, if it is one. A number whose exponent has more than ten characters stays as it is.
    static func normalized(_ text: String) -> String {
        let parts = text.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        let isNegative = parts[0].first == UInt8(ascii: "-")
        let number = isNegative ? parts[0].dropFirst() : parts[0]
        guard var exponent = parts.count == 1 ? 0 : self.exponent(parts[1]) else { return text }
        let point = number.firstIndex(of: UInt8(ascii: "."))
        if let point { exponent -= number.distance(from: point, to: number.endIndex) - 1 }
        var digits = number.filter { $0 != UInt8(ascii: ".") }
        while digits.last == zero {
            digits.removeLast()
            exponent += 1
        }
        digits = Array(digits.drop { $0 == zero })
        guard !digits.isEmpty else { return "0" }
        let sign = isNegative ? "-" : ""
        if exponent >= 0, digits.count + exponent <= 19 {
            let integer = sign + String(decoding: digits + [UInt8](repeating: zero, count: exponent), as: UTF8.self)
            if Int(integer) != nil { return integer }
        }
        return "\(sign)\(String(decoding: digits, as: UTF8.self))e\(exponent)"
    }

    private static let zero = UInt8(ascii: "0")

    private static func exponent(_ text: Substring.UTF8View) -> Int? {
        text.count <= 10 ? Int(Substring(text)) : nil
    }
}
