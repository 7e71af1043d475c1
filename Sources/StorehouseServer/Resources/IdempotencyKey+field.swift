import HTTP
import Sessions

// The field Idempotency-Key (draft-ietf-httpapi-idempotency-key-header).
extension IdempotencyKey {
    /// Nil if the request has no key.
    ///
    /// The key is a string in quotes. A token without quotes is accepted too, since many clients send that.
    init?(_ head: RequestHead) throws(Problem) {
        guard head.fields.contains("idempotency-key") else { return nil }
        let lines = head.fields.values("idempotency-key")
        guard lines.count == 1, let text = Self.text(of: lines[0]), (1...255).contains(text.utf8.count) else {
            throw Problem(.header(.idempotencyKey))
        }
        self.init(text: text)
    }

    private static func text(of value: String) -> String? {
        var bytes: [UInt8] = []
        let isQuoted = value.utf8.first == UInt8(ascii: "\"")
        var inner = Array(value.utf8)
        if isQuoted {
            guard inner.count >= 2, inner.last == UInt8(ascii: "\"") else { return nil }
            inner = Array(inner[1..<(inner.count - 1)])
        }
        var isEscaped = false
        for byte in inner {
            // A string of structured fields (RFC 8941, section 3.3.3): printable ASCII, quotes and backslashes escaped.
            guard (0x20...0x7e).contains(byte), isQuoted || byte != 0x20 && byte != UInt8(ascii: ",") else {
                return nil
            }
            let isSpecial = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            if isEscaped {
                guard isSpecial else { return nil }
            } else if isSpecial {
                guard isQuoted, byte == UInt8(ascii: "\\") else { return nil }
                isEscaped = true
                continue
            }
            isEscaped = false
            bytes.append(byte)
        }
        return isEscaped ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
