import JSON
import Observability
import Testing

/// How a terminal shows texts that others have written.
@Suite struct TerminalTextTests {
    private static let hostile = [
        "\u{0}", "\u{7}", "\u{1b}[2J", "\u{7f}", "\u{80}", "\u{9b}31m", "\u{9f}", "\u{ad}", "\u{61c}", "\u{200b}",
        "\u{200e}", "\u{200f}", "\u{2028}", "\u{2029}", "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}", "\u{feff}",
        "\u{e0041}",
    ]

    @Test(arguments: hostile) func noCommandReachesTheTerminal(_ text: String) {
        for escaped in [text.escapedForOneLine, text.escapedForTerminal, text.escapedLikeJSON] {
            #expect(escaped.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        }
    }

    @Test(arguments: ["", "plain", "Zoë 日本 🙂", "a \"b\" {c}"]) func otherTextStaysAsItIs(_ text: String) {
        for escaped in [text.escapedForOneLine, text.escapedForTerminal, text.escapedLikeJSON] {
            #expect(escaped == text)
        }
    }

    @Test func linesBreaksAndBackslashesDependOnTheForm() {
        let text = "a\\b\nc\t"
        #expect(text.escapedForOneLine == "a\\\\b\\nc\\u{9}")
        #expect(text.escapedForTerminal == "a\\b\\nc\\u{9}")
        #expect(text.escapedLikeJSON == text)
    }

    @Test func theValueOfJSONStaysAsItIs() throws {
        let value: JSONValue = [.string(Self.hostile.joined()), .object(JSONObject([("\u{9b}", "\u{e0041}")]))]
        let escaped = value.description.escapedLikeJSON
        #expect(escaped.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(try JSONValue(parsing: escaped) == value)
        #expect("\u{e0041}".escapedLikeJSON == "\\udb40\\udc41")
    }
}
