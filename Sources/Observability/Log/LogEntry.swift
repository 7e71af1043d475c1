import JSON
import Platform

/// One entry of the log.
package struct LogEntry {
    let time: Int
    let level: LogLevel
    var message: String
    var fields: [LogField]
    /// True if a text was shortened.
    private(set) var isCut = false

    /// The longest line with its line break: the size that a pipe takes atomically (`PIPE_BUF`).
    static let maximumLength = 4096

    init(time: Int, level: LogLevel, message: String, fields: [LogField]) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
    }

    /// The entry as one line with its line break. Long texts are shortened, and the field `cut` marks such a line.
    func line(_ format: LogFormat) -> [UInt8] {
        for length in [Self.maximumLength, 1024, 256, 64] {
            let line = cut(to: length).encoded(format)
            if line.count <= Self.maximumLength { return line }
        }
        var bare = cut(to: 256)
        bare.fields = []
        bare.isCut = true
        return bare.encoded(format)
    }

    /// The entry with every text shortened to `length` bytes.
    private func cut(to length: Int) -> LogEntry {
        guard message.utf8.count > length || fields.contains(where: { $0.isLonger(than: length) }) else { return self }
        var entry = self
        entry.message = message.shortened(to: length)
        entry.fields = fields.map { $0.shortened(to: length) }
        entry.isCut = true
        return entry
    }

    private func encoded(_ format: LogFormat) -> [UInt8] {
        switch format {
        case .text: Array(text.utf8)
        case .json: json
        }
    }

    private var text: String {
        var line = "\(Timestamp.rfc3339(time)) \(level.rawValue) \(message.escapedForOneLine)"
        for field in fields {
            line += " \(field.name)=\(field.value.text)"
        }
        return line + (isCut ? " cut=true\n" : "\n")
    }

    private var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("time", Timestamp.rfc3339(time))
            json.member("level", level.rawValue)
            json.member("message", LogField.Value.text(message))
            for field in fields {
                json.member(field.name, field.value)
            }
            if isCut { json.member("cut", true) }
        }
        var line = json.finish()
        line.append(UInt8(ascii: "\n"))
        return line
    }
}

extension LogField.Value: JSONEncodable {
    func encode(into json: inout JSONWriter) {
        switch self {
        case .text(let text) where text.utf8.contains(where: { $0 >= 0x7F }): json.raw(text.encodedAsJSON)
        case .text(let text): json.value(text)
        case .integer(let integer): json.value(integer)
        case .number(let number): json.value(number)
        case .flag(let flag): json.value(flag)
        }
    }

    fileprivate var text: String {
        switch self {
        case .text(let text): text.quotedIfNeeded
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        }
    }
}

/// A named value of a log entry.
///
/// There is no field for bytes or documents, because bodies are never logged.
package struct LogField: Sendable {
    enum Value: Sendable {
        case text(String)
        case integer(Int)
        case number(Double)
        case flag(Bool)
    }

    /// Letters, digits and underscores; not `time`, `level` or `message`.
    let name: StaticString
    let value: Value

    /// A field with a text.
    package init(_ name: StaticString, _ text: String) {
        self.name = name
        value = .text(text)
    }

    /// A field with a number.
    package init(_ name: StaticString, _ integer: Int) {
        self.name = name
        value = .integer(integer)
    }

    /// A field with `true` or `false`.
    package init(_ name: StaticString, _ flag: Bool) {
        self.name = name
        value = .flag(flag)
    }

    /// A duration, written in seconds with microseconds.
    package init(_ name: StaticString, _ duration: Duration) {
        self.name = name
        value = .number(duration.inSeconds)
    }
}

extension String {
    /// The text as a string in JSON. A terminal or a viewer must not act on its characters any more than on those of the text
    /// format, so all are escaped that are escaped there.
    fileprivate var encodedAsJSON: [UInt8] {
        var json = JSONWriter()
        json.value(self)
        return Array(String(decoding: json.finish(), as: UTF8.self).escapedLikeJSON.utf8)
    }

    /// The text as the value of `name=value`, in quotes unless it is one plain word.
    var quotedIfNeeded: String {
        let isPlain = !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"=\\".utf8.contains($0) }
        guard !isPlain else { return self }
        let escaped = escapedForOneLine.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + escaped.joined(separator: "\\\"") + "\""
    }

    /// The first `length` bytes of the text, without a divided character and with an ellipsis if there are more.
    package func shortened(to length: Int) -> String {
        guard utf8.count > length else { return self }
        var end = utf8.index(startIndex, offsetBy: length)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return self[..<end] + "…"
    }
}

extension LogField {
    /// True for a text of more than `length` bytes.
    func isLonger(than length: Int) -> Bool {
        if case .text(let text) = value { text.utf8.count > length } else { false }
    }

    func shortened(to length: Int) -> LogField {
        guard case .text(let text) = value else { return self }
        return LogField(name, text.shortened(to: length))
    }
}
