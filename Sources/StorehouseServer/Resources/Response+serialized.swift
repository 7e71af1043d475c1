import HTTP
import Sessions

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
