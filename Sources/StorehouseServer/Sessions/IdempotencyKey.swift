import HTTP
import StoreHosting

/// The Idempotency-Key of a request (draft-ietf-httpapi-idempotency-key-header).
struct IdempotencyKey: Sendable {
    private(set) var text: String

    /// Nil if the request has no key.
    ///
    /// The key is a string in quotes. A token without quotes is accepted too, since many clients send that.
    init?(_ head: RequestHead) throws(Problem) {
        guard head.fields.contains("idempotency-key") else { return nil }
        let lines = head.fields.values("idempotency-key")
        guard lines.count == 1, let text = Self.text(of: lines[0]), (1...255).contains(text.utf8.count) else {
            throw Problem(.header(.idempotencyKey))
        }
        self.text = text
    }

    /// Makes it another key than the same text of any other owner.
    mutating func belongs(to owner: String) {
        // No client can send a key with a line break.
        text = "\(owner)\n\(text)"
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

// A serialized response looks as it does on the wire: a status line, fields, an empty line, the body.
extension Response {
    var serialized: [UInt8] {
        var text = "\(status.rawValue) \(revision.map { String($0.revision) } ?? "-")\n"
        for field in fields { text += "\(field.name): \(field.value)\n" }
        return Array((text + "\n").utf8) + body
    }

    /// Reads what ``serialized`` returned; nil for anything else.
    ///
    /// - Parameter session: the session that the response is about.
    init?(serialized bytes: [UInt8], about session: Session) {
        var rest = bytes[...]
        func line() -> String? {
            guard let end = rest.firstIndex(of: 0x0a) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
        guard let first = line()?.split(separator: " "), first.count == 2,
            let status = Int(first[0]).flatMap(HTTPStatus.init)
        else { return nil }
        var fields: [Field] = []
        while true {
            guard let text = line() else { return nil }
            if text.isEmpty { break }
            guard let colon = text.firstIndex(of: ":") else { return nil }
            fields.append(Field(String(text[..<colon]), String(text[colon...].dropFirst(2))))
        }
        self.init(status, fields: fields, revision: Int(first[1]).map(session.tag), body: Array(rest))
    }
}
