/// The header fields of a remote service's answer.
///
/// They are kept as they came, and searched when somebody asks: hardly anybody does.
public struct RemoteHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// Lines, each with its line break.
    private let section: [UInt8]

    /// The fields of a header section.
    ///
    /// - Parameter section: the lines as they came, a status line among them if there was one.
    public init(section: [UInt8]) { self.section = section }

    public init(dictionaryLiteral fields: (String, String)...) {
        section = Array(fields.map { "\($0): \($1)\r\n" }.joined().utf8)
    }

    /// The value of the first field of that name, in which case makes no difference; nil where there is none.
    public subscript(name: String) -> String? {
        let wanted = Array(name.lowercased().utf8)
        for line in section.split(whereSeparator: { $0 == 13 || $0 == 10 }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon - line.startIndex == wanted.count,
                zip(line, wanted).allSatisfy({ Self.lowercased($0) == $1 })
            else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == 32 || $0 == 9 }
            let end = value.lastIndex { $0 != 32 && $0 != 9 }.map { $0 + 1 } ?? value.startIndex
            return String(decoding: value[..<end], as: UTF8.self)
        }
        return nil
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
