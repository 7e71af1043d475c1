import JSON
import Observability

/// The colours of words, and the safe form of texts that others have written.
package struct TerminalInk: Sendable {
    /// Parameters of SGR (ECMA-48, section 8.3.117).
    enum Style: Int {
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    /// How much of a whole state is shown.
    static let maxStateCharacters = 2000
    private static let maxValueCharacters = 160

    private let inColor: Bool

    package init(inColor: Bool) { self.inColor = inColor }

    func styled(_ text: String, _ style: Style) -> String {
        inColor ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// A text without its quotes, or another value as JSON.
    func text(_ value: JSONValue?) -> String {
        value.map { $0.asString?.escapedForTerminal ?? short($0) } ?? "?"
    }

    /// The beginning of a value as JSON, in which escapes are those of JSON.
    func short(_ value: JSONValue, _ length: Int = maxValueCharacters) -> String {
        let text = value.description
        let start = text.prefix(length)
        return String(start).escapedLikeJSON + (start.endIndex < text.endIndex ? "…" : "")
    }

    func revision(_ value: JSONValue?) -> String { styled("#" + text(value), .cyan) }
}
