import JSON
import Observability
package import StorehouseClient

/// The events of a stream as lines for a terminal.
package struct EventLines: Sendable {
    /// Parameters of SGR (ECMA-48, section 8.3.117).
    private enum Style: Int {
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    private static let maxStateCharacters = 2000
    private static let maxValueCharacters = 160

    private let inColor: Bool
    /// The selected value, to which patches are applied to show what a value was before.
    private var value = JSONValue.null

    package init(inColor: Bool) {
        self.inColor = inColor
    }

    /// The line of an event, without a line break.
    ///
    /// - Parameter time: milliseconds since 1970.
    package mutating func line(of event: StreamedEvent, at time: Int) -> String {
        let data = (try? JSONValue(parsing: event.data, maximumDepth: JSONValue.maxDepth)) ?? .string(event.data)
        let words: [String]
        switch event.name {
        case "state": words = state(data)
        case "patch": words = patch(data)
        case "effect": words = effect(data)
        case "closed": words = [styled("closed: " + text(data["reason"]), .dim)]
        default: words = [printable(event.name), short(data, Self.maxStateCharacters)]
        }
        return line(words, at: time)
    }

    /// A line about the connection.
    package func note(_ text: String, at time: Int) -> String {
        line([styled("(" + printable(text) + ")", .dim)], at: time)
    }

    private func line(_ words: [String], at time: Int) -> String {
        // The date is left out: a terminal shows events of now.
        ([styled(String(Timestamp.rfc3339(time).dropFirst(11)), .dim)] + words).joined(separator: " ")
    }

    private mutating func state(_ data: JSONValue) -> [String] {
        value = data["state"] ?? .null
        var words = [revision(data["revision"])]
        if let skipped = data["skipped"]?.asInteger { words.append(styled("(\(skipped) left out)", .dim)) }
        return words + [short(value, Self.maxStateCharacters)]
    }

    private mutating func patch(_ data: JSONValue) -> [String] {
        guard let patch = try? JSONPatch(data["patch"] ?? .null) else {
            return [revision(data["revision"]), short(data, Self.maxStateCharacters)]
        }
        var changes: [String] = []
        for operation in patch.operations {
            changes.append(change(operation))
            try? JSONPatch([operation]).apply(to: &value)
        }
        return [revision(data["revision"]), changes.joined(separator: ", ")]
    }

    private func change(_ operation: JSONPatch.Operation) -> String {
        switch operation {
        case .add(let path, let new): return place(path) + styled("+ " + short(new), .green)
        case .remove(let path): return place(path) + styled("- " + short(path.value(in: value) ?? .null), .red)
        case .replace(let path, let new):
            let old = path.value(in: value).map { short($0) } ?? "?"
            return place(path) + styled(old, .red) + " → " + styled(short(new), .green)
        case .move(let from, let path): return printable(from.description) + " → " + printable(path.description)
        }
    }

    private func place(_ path: JSONPointer) -> String {
        path.tokens.isEmpty ? "" : printable(path.description) + ": "
    }

    private func effect(_ data: JSONValue) -> [String] {
        let phase = text(data["phase"])
        let style: Style = phase == "failed" ? .red : phase == "succeeded" ? .green : .yellow
        var words = [revision(data["cause"]), "effect " + text(data["effect"]), styled(phase, style)]
        if let code = data["code"] { words.append(styled(text(code), .red)) }
        if let attempt = data["attempt"]?.asInteger { words.append("attempt \(attempt)") }
        if let duration = data["duration"]?.asInteger { words.append(styled("\(duration) ms", .dim)) }
        return words
    }

    private func revision(_ value: JSONValue?) -> String {
        styled("#" + text(value), .cyan)
    }

    private func text(_ value: JSONValue?) -> String {
        value.map { $0.asString.map(printable) ?? short($0) } ?? "?"
    }

    private func short(_ value: JSONValue, _ length: Int = maxValueCharacters) -> String {
        let text = value.description
        return printable(String(text.prefix(length))) + (text.count > length ? "…" : "")
    }

    /// A server's text cannot move the cursor or change colours.
    private func printable(_ text: String) -> String { text.escapedForTerminal }

    private func styled(_ text: String, _ style: Style) -> String {
        inColor ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
    }
}
