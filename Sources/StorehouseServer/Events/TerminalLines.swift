import JSON
import Observability
import Sessions
import StoreHosting
import Stores

/// The changes of a selected value as lines for a terminal: time in UTC, revision, action, path: old → new.
///
/// A class, so that the topics without lines need no memory for them.
final class TerminalLines: CommitTranscript {
    private let inColor: Bool
    private let showsActions: Bool
    private var value: JSONValue

    init(of json: [UInt8], inColor: Bool, showsActions: Bool) {
        self.showsActions = showsActions
        value = (try? JSONValue(parsing: json, maximumDepth: JSONValue.maxDepth)) ?? .null
        self.inColor = inColor
    }

    /// The lines of the newest commits, one for each change of the selected value.
    func encode(_ selection: Selection, _ state: borrowing StateView) -> EncodedEvent? {
        let lines = lines(of: selection, state)
        return lines.isEmpty ? nil : EncodedEvent(sharing: lines)
    }

    private func lines(of selection: Selection, _ state: borrowing StateView) -> [UInt8] {
        var bytes: [UInt8] = []
        for commit in state.commits {
            switch selection.project(commit.changes) {
            case .unchanged: continue
            case .patch(let patch): bytes += lines(of: patch, by: commit)
            case .value, .needsValue:
                // Which commit of a batch changed the value is unknown, so its last commit stands for all.
                let patch = EncodedPatch(from: value.encoded(), to: state.encoded(selection))
                let last = showsActions ? nil : state.commits.last { selection.project($0.changes) != .unchanged }
                return bytes + lines(of: patch, by: last ?? state.commits.last ?? commit)
            }
        }
        return bytes
    }

    private func lines(of patch: EncodedPatch, by commit: CommitRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        for operation in patch.operations {
            let old = (try? JSONPointer(operation.path))?.value(in: value)
            _ = EncodedPatch([operation]).apply(to: &value)
            let before =
                operation.kind == .add || old == nil ? Self.nothing : old.map { Self.short($0.encoded()) } ?? ""
            let after = operation.kind == .remove ? Self.nothing : Self.short(operation.value)
            var line = TerminalLine(inColor: inColor)
            line.begin(commit.committedAt, commit.revision, showsActions ? commit.type : "")
            if let from = operation.from {
                line.add(from + " → " + operation.path)
                bytes += line.bytes
                continue
            }
            if !operation.path.isEmpty { line.add(operation.path + ":") }
            line.add(before, .red)
            line.add("→")
            line.add(after, .green)
            bytes += line.bytes
        }
        return bytes
    }

    /// The line of a whole value: the first one, or the newest behind skipped events.
    static func line(of event: StateEvent, skipped: Int, at time: Int, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(time, event.revision, skipped > 0 ? "(\(skipped) left out)" : "")
        // Nobody reads a longer line, and each stream would need its own copy of it.
        line.add(shortened(event.json, to: maxValueBytes))
        return line.bytes
    }

    /// The line of an action: its sender, and what it came with.
    static func line(of action: CommitRecord, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(action.committedAt, action.revision, action.type)
        line.add(short(JSONValue.object(action.payload).encoded()))
        line.add("(\(action.origin.rawValue))", .dim)
        return line.bytes
    }

    /// The line of an effect's event.
    static func line(of event: EffectEvent, at time: Int, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(time, event.cause, event.effect.description)
        line.add(event.phase.rawValue)
        if let code = event.code { line.add(code, .red) }
        if let duration = event.duration { line.add("\(duration) ms", .dim) }
        return line.bytes
    }

    /// The line of a signal: its type, what it came with, and its sender.
    static func line(of signal: SignalEvent, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(signal.at, nil, signal.type)
        line.add(short(signal.payload))
        line.add("(\(signal.actor.phrase))", .dim)
        return line.bytes
    }

    /// A line about the stream itself.
    static func note(_ text: String, at time: Int, inColor: Bool) -> [UInt8] {
        var line = TerminalLine(inColor: inColor)
        line.begin(time, nil, "")
        line.add("(\(text))", .dim)
        return line.bytes
    }

    private static func shortened(_ json: [UInt8], to length: Int) -> String {
        String(decoding: json.prefix(length), as: UTF8.self) + (json.count > length ? "…" : "")
    }

    /// How much of a whole value is shown.
    private static let maxValueBytes = 16_384
    private static let nothing = "∅"
    /// Two values of this length fit beside one another.
    private static let maxCharacters = 160

    private static func short(_ json: [UInt8]) -> String {
        let text = String(decoding: json, as: UTF8.self)
        let start = text.prefix(maxCharacters)
        return String(start) + (start.endIndex < text.endIndex ? "…" : "")
    }
}

/// One line, written word by word.
private struct TerminalLine {
    /// Parameters of SGR (ECMA-48, section 8.3.117).
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

    mutating func begin(_ time: Int, _ revision: Int?, _ action: String) {
        // The date is left out: a terminal shows events of now.
        add(String(Timestamp.rfc3339(time).dropFirst(11)), .dim)
        if let revision { add("#\(revision)", .cyan) }
        if !action.isEmpty { add(action) }
    }

    /// Whatever the word is, a terminal takes nothing in it for a command. JSON escapes only the ASCII controls.
    mutating func add(_ word: String, _ style: Style = .plain) {
        let word = word.escapedForTerminal
        if !text.isEmpty { text += " " }
        text += inColor && style != .plain ? "\u{1b}[\(style.rawValue)m\(word)\u{1b}[0m" : word
    }
}
