/// A line of a table: some bytes on a connection, and what must come of them.
struct Row: Sendable, CustomStringConvertible {
    /// The section of the RFC and its rule.
    let rule: String
    let bytes: [UInt8]
    let expected: [String]

    init(_ rule: String, _ text: String, _ expected: String...) {
        self.rule = rule
        bytes = Array(text.utf8)
        self.expected = expected
    }

    /// A GET with these field lines after a Host.
    static func fields(_ rule: String, _ lines: String, _ expected: String...) -> Row {
        Row(rule: rule, text: "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n", expected: expected)
    }

    /// A chunked POST with these bytes for a body.
    static func chunks(_ rule: String, _ body: String, _ expected: String...) -> Row {
        Row(
            rule: rule, text: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)",
            expected: expected)
    }

    /// A request line with a sound header section.
    static func line(_ rule: String, _ line: String, _ expected: String...) -> Row {
        Row(rule: rule, text: "\(line)\r\nHost: a\r\n\r\n", expected: expected)
    }

    private init(rule: String, text: String, expected: [String]) {
        self.rule = rule
        bytes = Array(text.utf8)
        self.expected = expected
    }

    var description: String { rule }

    static let bad = "400 malformed-request"

    static let all = requestLines + targets + hosts + fieldLines + bodies + connections + chunked
}
