/// A rule: bytes on a connection, and their required outcome.
///
/// The rules are tested with the parser, and with a server over a socket.
package struct Row: Sendable, CustomStringConvertible {
    /// The section of the RFC and its rule.
    package let rule: String
    package let bytes: [UInt8]
    /// One line for each request: `METHOD target keep` (`close` if the connection closes after it), then `continue` if
    /// the client waits for `100 Continue`, then the body. For an invalid request: the status and the error code. The
    /// last line is `incomplete` if the last request is incomplete. Bytes behind an invalid request are ignored.
    package let expected: [String]

    init(_ rule: String, _ text: String, _ expected: String...) {
        self.rule = rule
        bytes = Array(text.utf8)
        self.expected = expected
    }

    /// A GET request with these field lines after the Host field.
    static func fields(_ rule: String, _ lines: String, _ expected: String...) -> Row {
        Row(rule: rule, text: "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n", expected: expected)
    }

    /// A chunked POST request with these bytes as its body.
    static func chunks(_ rule: String, _ body: String, _ expected: String...) -> Row {
        Row(
            rule: rule, text: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)",
            expected: expected)
    }

    /// A request line with a valid header section.
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
