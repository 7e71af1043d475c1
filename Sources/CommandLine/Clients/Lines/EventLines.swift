package import JSON
import Observability
package import StorehouseClient

/// The events of a stream as lines for a terminal.
package struct EventLines: Sendable {
    /// The part of each event that has a line.
    package enum Content: Sendable, Hashable {
        /// Each action with what it has changed.
        case changes
        /// Each action with its payload, and nothing else.
        case actions
    }

    private let ink: TerminalInk
    private let clock: LocalClock
    private let content: Content
    private var changes: ChangeTexts
    /// Actions whose events of the state are still to come. A stream that is resumed begins with all that were missed.
    private var pending: [JSONValue] = []
    /// The newest revision of which something is known; nil for none.
    private var revision: Int?
    private var lastID = ""
    private var showsState: Bool

    /// - Parameter showsState: whether the first state is shown.
    package init(inColor: Bool, clock: LocalClock = .system, content: Content = .changes, showsState: Bool = true) {
        ink = TerminalInk(inColor: inColor)
        changes = ChangeTexts(ink)
        (self.clock, self.content, self.showsState) = (clock, content, showsState)
    }

    /// The stream continues after a revision.
    ///
    /// - Parameter state: the selected value at it; nil if it is not known.
    package mutating func resume(after revision: Int, state: JSONValue?, id: String) {
        (self.revision, lastID, showsState) = (revision, id, false)
        changes.begin(with: state)
    }

    /// The lines of an event, without line breaks.
    package mutating func lines(of event: StreamedEvent) -> [String] {
        let data = (try? JSONValue(parsing: event.data, maximumDepth: JSONValue.maxDepth)) ?? .string(event.data)
        let hasID = event.id != lastID
        lastID = event.id
        switch event.name {
        case "action": return action(data, isAlone: hasID)
        case "state": return state(data)
        case "patch": return patch(data)
        case "effect": return flush() + (content == .actions ? [] : [line(effect(data))])
        case "closed": return flush() + [line([ink.styled("closed: " + ink.text(data["reason"]), .dim)])]
        default:
            return flush() + [line([ink.text(.string(event.name)), ink.short(data, TerminalInk.maxStateCharacters)])]
        }
    }

    /// A line about the connection.
    package mutating func note(_ text: String) -> [String] {
        flush() + [line([ink.styled("(" + text.escapedForTerminal + ")", .dim)])]
    }

    /// The lines of actions whose states have not come.
    package mutating func flush() -> [String] { flush { _ in true } }

    private mutating func flush(where isDone: (JSONValue) -> Bool) -> [String] {
        let count = pending.prefix(while: isDone).count
        defer { pending.removeFirst(count) }
        return pending.prefix(count).map { line(of: $0, content == .actions ? nil : []) }
    }

    private func line(_ words: [String], at time: Int? = nil) -> String {
        ([ink.styled(clock.text(of: time ?? clock.now()), .dim)] + words).joined(separator: " ")
    }

    private func line(of action: JSONValue, _ changes: [String]?) -> String {
        let words = ActionWords(action, ink)
        return line(words.line(changes), at: words.time)
    }

    /// - Parameter isAlone: whether no event of the state follows.
    private mutating func action(_ data: JSONValue, isAlone: Bool) -> [String] {
        var lines: [String] = []
        if let revision, let next = data["revision"]?.asInteger, next > revision + 1 {
            let missed = revision + 2 == next ? "#\(next - 1) is" : "#\(revision + 1) to #\(next - 1) are"
            lines += note("\(missed) not shown: the server has only later actions")
        }
        pending.append(data)
        revision = data["revision"]?.asInteger ?? revision
        if isAlone || content == .actions { lines += flush() }
        return lines
    }

    private mutating func state(_ data: JSONValue) -> [String] {
        let new = data["state"] ?? .null
        let skipped = data["skipped"]?.asInteger.map { "\($0) left out" }
        let (isFirst, texts) = (revision == nil, changes.texts(to: new))
        if content == .actions { return seen(data) + (skipped.map { note($0) } ?? []) }
        var words = skipped.map { [ink.styled("(\($0))", .dim)] } ?? []
        if let texts {
            // A server that cannot tell whether a client has a value sends it again.
            if texts.isEmpty, skipped == nil, pending.isEmpty { return seen(data) }
            if !texts.isEmpty { words.append(" " + ChangeTexts.line(texts)) }
            return changed(data, words)
        }
        guard showsState || !isFirst else { return seen(data) }
        return changed(data, words + [ink.short(new, TerminalInk.maxStateCharacters)])
    }

    private mutating func patch(_ data: JSONValue) -> [String] {
        let patch = try? JSONPatch(data["patch"] ?? .null)
        let texts = patch.map { changes.texts(of: $0) }
        guard content == .changes else { return seen(data) }
        return changed(
            data, [texts.map { " " + ChangeTexts.line($0) } ?? ink.short(data, TerminalInk.maxStateCharacters)])
    }

    /// Nothing is shown of a state.
    private mutating func seen(_ data: JSONValue) -> [String] {
        let reached = data["revision"]?.asInteger ?? revision ?? 0
        revision = max(reached, revision ?? 0)
        return flush { ($0["revision"]?.asInteger ?? 0) <= reached }
    }

    /// The line of a state's event, with the action that has made it.
    private mutating func changed(_ data: JSONValue, _ words: [String]) -> [String] {
        let reached = data["revision"]?.asInteger ?? revision ?? 0
        revision = max(reached, revision ?? 0)
        // An action without a change of its own, and the others of a batch.
        var lines = flush { ($0["revision"]?.asInteger ?? 0) < reached }
        guard let action = pending.first, action["revision"]?.asInteger == reached else {
            return lines + [line([ink.revision(data["revision"])] + words)]
        }
        pending.removeFirst()
        let entry = ActionWords(action, ink)
        lines.append(line(entry.head + words, at: entry.time))
        return lines
    }

    private func effect(_ data: JSONValue) -> [String] {
        let phase = ink.text(data["phase"])
        let style: TerminalInk.Style = phase == "failed" ? .red : phase == "succeeded" ? .green : .yellow
        var words = [ink.revision(data["cause"]), "effect " + ink.text(data["effect"]), ink.styled(phase, style)]
        if let code = data["code"] { words.append(ink.styled(ink.text(code), .red)) }
        if let attempt = data["attempt"]?.asInteger { words.append("attempt \(attempt)") }
        if let duration = data["duration"]?.asInteger { words.append(ink.styled("\(duration) ms", .dim)) }
        return words
    }
}
