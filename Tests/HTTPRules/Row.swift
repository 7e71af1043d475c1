/// A line of the table of rules: some bytes on a connection, and what must come of them.
///
/// The table is held against the parser, and against a server over a socket.
package struct Row: Sendable, CustomStringConvertible {
    /// The section of the RFC and its rule.
    package let rule: String
    package let bytes: [UInt8]
    /// One line for each request: `METHOD target keep`, or `close` where the connection ends behind it, then `continue`
    /// where it waits for the server's word, then the body; or the status and the code of a refusal. The last line is
    /// `incomplete` where a request is begun and not ended. Whatever comes behind a refusal is nobody's.
    package let expected: [String]

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

    init(rule: String, text: String, expected: [String]) {
        self.rule = rule
        bytes = Array(text.utf8)
        self.expected = expected
    }

    package var description: String { rule }

    static let bad = "400 malformed-request"

    package static let all: [Row] =
        requestLines + targets + hosts + fieldLines + bodies + contents + connections + chunked + smuggling
}
