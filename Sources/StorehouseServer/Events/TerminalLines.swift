import JSON
import Observability
import StoreHosting
import Stores

/// What changes in a selected value, in lines for a terminal: time in UTC, revision, action, path: old → new.
struct TerminalLines: Sendable {
    let inColor: Bool
    private var value: JSONValue

    init(of json: [UInt8], inColor: Bool) {
        value = (try? JSONValue(parsing: json, maximumDepth: JSONValue.maxDepth)) ?? .null
        self.inColor = inColor
    }

    /// The lines of the newest commits, one a change; empty where they change nothing here.
    mutating func lines(of selection: Selection, _ state: borrowing StateView) -> [UInt8] {
        var bytes: [UInt8] = []
        for commit in state.commits {
            switch selection.narrow(commit.changes) {
            case .unchanged: continue
            case .patch(let patch): bytes += lines(of: patch, by: commit)
            case .unclear:
                // What of a batch did it is not to be told apart any more.
                let patch = EncodedPatch(from: value.encoded(), to: state.encoded(selection))
                return bytes + lines(of: patch, by: state.commits.last ?? commit)
            }
        }
        return bytes
    }

    private mutating func lines(of patch: EncodedPatch, by commit: CommitRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        for operation in patch.operations {
            let old = (try? JSONPointer(operation.path))?.value(in: value)
            _ = EncodedPatch([operation]).apply(to: &value)
            let before =
                operation.kind == .add || old == nil ? Self.nothing : old.map { Self.short($0.encoded()) } ?? ""
            let after = operation.kind == .remove ? Self.nothing : Self.short(operation.value)
            var line = TerminalLine(inColor: inColor)
            line.begin(commit.at, commit.revision, commit.type)
            if !operation.path.isEmpty { line.add(Self.printable(operation.path) + ":") }
            line.add(before, .red)
            line.add("→")
            line.add(after, .green)
            bytes += line.bytes
        }
        return bytes
    }

    /// The line of a whole value: the first one, or the newest after some were left out.
    static func line(of event: StateEvent, skipped: Int, at moment: Int, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(moment, event.revision, skipped > 0 ? "(\(skipped) left out)" : "")
        line.add(printable(String(decoding: event.json, as: UTF8.self)))
        return line.bytes
    }

    /// The line of what has happened to an effect.
    static func line(of event: EffectEvent, at moment: Int, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(moment, event.cause, event.effect.name)
        line.add(event.phase.rawValue)
        if let code = event.code { line.add(code, .red) }
        if let duration = event.duration { line.add("\(duration) ms", .dim) }
        return line.bytes
    }

    /// A line that tells of the stream itself.
    static func note(_ text: String, at moment: Int, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(moment, nil, "")
        line.add("(\(text))", .dim)
        return line.bytes
    }

    private static let nothing = "∅"
    /// How many characters of a value fit beside another one.
    private static let mostCharacters = 160

    private static func short(_ json: [UInt8]) -> String {
        let text = String(decoding: json, as: UTF8.self)
        let start = text.prefix(mostCharacters)
        return printable(String(start)) + (start.endIndex < text.endIndex ? "…" : "")
    }

    /// What a terminal might take for a command stands as its number: JSON escapes only the oldest of those.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isCommand) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isCommand(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// One line, put together word by word.
private struct TerminalLine {
    /// By the numbers of ECMA-48, SGR.
    enum Style: Int {
        case plain = 0
        case dim = 2
        case red = 31
        case green = 32
        case cyan = 36
    }

    let inColor: Bool
    private var text = ""

    init(inColor: Bool) { self.inColor = inColor }

    var bytes: [UInt8] { Array((text + "\n").utf8) }

    mutating func begin(_ moment: Int, _ revision: Int?, _ action: String) {
        // The day is known to who looks at a terminal.
        add(String(Timestamp.rfc3339(moment).dropFirst(11)), .dim)
        if let revision { add("#\(revision)", .cyan) }
        if !action.isEmpty { add(action) }
    }

    mutating func add(_ word: String, _ style: Style = .plain) {
        if !text.isEmpty { text += " " }
        text += inColor && style != .plain ? "\u{1b}[\(style.rawValue)m\(word)\u{1b}[0m" : word
    }
}
